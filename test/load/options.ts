import { parseArgs } from 'node:util';

/* The options of `npm run load`. Numbers have hard bounds, so that a typing error is no attack. */

interface NumberOption {
  min: number;
  max: number;
  default: number;
  help: string;
  /** Whether it may have a fraction. */
  fraction?: boolean;
}

/** What is made: at least one of these is needed. */
const scenarioOptions = {
  rooms: { min: 0, max: 500, default: 0, help: 'rooms, each with --people' },
  calls: { min: 0, max: 100, default: 0, fraction: true, help: 'calls that start per second' },
  viewers: { min: 0, max: 5_000, default: 0, help: 'viewers of one stream by the protocol of the SDK' },
  whep: { min: 0, max: 5_000, default: 0, help: 'viewers of the same stream by WHEP' },
  messages: { min: 0, max: 20_000, default: 0, fraction: true, help: 'stored messages per second' },
  http: { min: 0, max: 20_000, default: 0, fraction: true, help: 'authenticated HTTP reads per second' },
  browsers: {
    min: 0,
    max: 8,
    default: 0,
    help: 'pages of Chromium that join a room again and again, where another page of Chromium sends video',
  },
} satisfies Record<string, NumberOption>;

const detailOptions = {
  people: { min: 2, max: 1_000, default: 4, help: 'people in each room, at most 5,000 in all rooms' },
  publishers: { min: 0, max: 1_000, default: 2, help: 'how many of --people send audio and video' },
  'call-seconds': { min: 1, max: 600, default: 5, help: 'how long a call lasts after its answer' },
  video: { min: 180, max: 720, default: 360, help: 'height of the video that is viewed: 180, 360 or 720' },
  seconds: { min: 1, max: 3_000, default: 60, help: 'how long the load lasts, with the ramp' },
  ramp: { min: 0, max: 3_000, default: 10, help: 'seconds in which the load grows, at most --seconds' },
} satisfies Record<string, NumberOption>;

const numbers: Record<string, NumberOption> = { ...scenarioOptions, ...detailOptions };

type Numbers = Record<
  Exclude<keyof typeof scenarioOptions | keyof typeof detailOptions, 'call-seconds'>,
  number
>;

export interface Options extends Numbers {
  server: URL;
  callSeconds: number;
  token: string | undefined;
  apiKey: string | undefined;
  /** The local address of media; undefined: loopback if the server is there, otherwise all addresses. */
  bind: string | undefined;
  json: boolean;
}

/** A mistake in the command line. */
export class UsageError extends Error {}

const maxPeople = 5_000;
const indent = ' '.repeat(22);

const linesOf = (options: Record<string, NumberOption>) =>
  Object.entries(options).map(
    ([name, { min, max, default: byDefault, help }]) =>
      `  --${name} N`.padEnd(indent.length) +
      `${help} (${min.toLocaleString('en')} to ${max.toLocaleString('en')}, default ${byDefault})`,
  );

export const usage = `Usage: npm run load -- <server> [options]

Loads a Parley server, reports what it did, and removes its rooms, streams and sessions.
<server> is its origin, such as http://127.0.0.1:3000. Ctrl-C ends the load early, with the report.

What to do at the same time (at least one):
${linesOf(scenarioOptions).join('\n')}

How:
${linesOf(detailOptions).join('\n')}
  --token TEXT        LOAD_TEST_TOKEN of the server; needed unless the server is on this machine.
${indent}Also read from the environment (LOAD_TEST_TOKEN)
  --api-key TEXT      API key for --http, also read from the environment (PARLEY_KEY).
${indent}Without one, the generator creates keys for its own wallets and revokes them
  --bind ADDRESS      local IP address of the media (default: 127.0.0.1 for a server on this
${indent}machine, otherwise every address)
  --json              print the report as JSON only
  --help              print this text

Exit code: 0 if nothing failed, 1 if something failed, 2 for wrong usage or a refused server.
`;

/**
 * Reads the command line.
 * @returns null if the help is wanted
 * @throws UsageError
 */
export function readOptions(args: string[], environment: NodeJS.ProcessEnv): Options | null {
  const { values, positionals } = parse(args);
  if (values.help === true) return null;
  const [server, ...others] = positionals;
  if (server === undefined || others.length > 0)
    throw new UsageError('Name one server, such as http://127.0.0.1:3000.');
  const { 'call-seconds': callSeconds = 0, ...given } = Object.fromEntries(
    Object.entries(numbers).map(([name, option]) => [name, readNumber(name, option, values[name])]),
  );
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
  // Without --ramp, a short load has a short one.
  const ramp = values.ramp === undefined ? Math.min(given.ramp ?? 0, given.seconds ?? 0) : (given.ramp ?? 0);
  return check({
    ...(given as Numbers),
    ramp,
    callSeconds,
    server: readServer(server),
    token: text(values.token) ?? text(environment.LOAD_TEST_TOKEN),
    apiKey: text(values['api-key']) ?? text(environment.PARLEY_KEY),
    bind: text(values.bind),
    json: values.json === true,
  });
}

function parse(args: string[]) {
  const texts = [...Object.keys(numbers), 'token', 'api-key', 'bind'];
  const options = {
    ...Object.fromEntries(texts.map((name) => [name, { type: 'string' as const }])),
    json: { type: 'boolean' as const },
    help: { type: 'boolean' as const, short: 'h' },
  };
  try {
    const parsed = parseArgs({ args, allowPositionals: true, options });
    return { values: parsed.values as Record<string, unknown>, positionals: parsed.positionals };
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function readNumber(name: string, { min, max, default: byDefault, fraction }: NumberOption, value: unknown) {
  if (value === undefined) return byDefault;
  const number = typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : NaN;
  const isRight = number >= min && number <= max && (fraction === true || Number.isInteger(number));
  if (isRight) return number;
  const kind = fraction ? 'a number' : 'a whole number';
  throw new UsageError(`--${name} must be ${kind} from ${min} to ${max}, not ${JSON.stringify(value)}.`);
}

function readServer(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search || url.username)
    throw new UsageError(`${text} is not the origin of a server, such as http://127.0.0.1:3000.`);
  return url;
}

function check(options: Options): Options {
  const { rooms, people, publishers, video, seconds, ramp } = options;
  const wanted = Object.keys(scenarioOptions) as (keyof typeof scenarioOptions)[];
  if (wanted.every((name) => options[name] === 0))
    throw new UsageError(`Choose what to do: ${wanted.map((name) => `--${name}`).join(', ')}.`);
  if (rooms * people > maxPeople)
    throw new UsageError(`--rooms times --people must be at most ${maxPeople}, not ${rooms * people}.`);
  if (publishers > people)
    throw new UsageError(`--publishers must be at most --people (${people}), not ${publishers}.`);
  if (![180, 360, 720].includes(video))
    throw new UsageError(`--video must be 180, 360 or 720, not ${video}.`);
  if (ramp > seconds) throw new UsageError(`--ramp must be at most --seconds (${seconds}), not ${ramp}.`);
  return options;
}
