import { accessSync, constants } from 'node:fs';
import { availableParallelism } from 'node:os';
import { isIP } from 'node:net';
import { z } from 'zod';

/** Decimal digits, and a fraction perhaps: not what else JavaScript takes for a number (0x50, 1e3, a blank). */
const number = z
  .string()
  .regex(/^\d{1,9}(\.\d{1,3})?$/, { error: 'not a number', abort: true })
  .transform(Number);
const port = number.pipe(z.int().min(1).max(65_535));
const seconds = number.pipe(z.number().positive().max(86_400));
const count = number.pipe(z.int().positive());
const workers = number.pipe(z.int().min(1).max(256));
const flag = z.enum(['true', 'false']).transform((text) => text === 'true');
/** As a browser writes it: lower case, no path, no standard port. */
const origin = z
  .string()
  .refine(isOrigin, {
    error: ({ input }) => `${String(input)} is no origin: http or https, a host, perhaps a port, no path`,
    abort: true,
  })
  .transform((text) => new URL(text).origin);
const items = (text: string) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);
const list = z.string().transform(items);
/** `1=https://rpc.example.org,137=…` */
const chains = list.pipe(
  z.array(
    z
      .string()
      .regex(/^[1-9]\d{0,14}=https?:\/\/\S+$/, {
        error: 'a chain is its id, =, and the address of its RPC',
        abort: true,
      })
      .transform((text) => ({
        chainId: Number(text.slice(0, text.indexOf('='))),
        url: text.slice(text.indexOf('=') + 1),
      })),
  ),
);
const phoneNumbers = list.pipe(
  z.array(z.string().regex(/^\+[1-9]\d{6,14}$/, { error: 'a phone number is + and 7 to 15 digits (E.164)' })),
);
/** What stands in it is not repeated: there is a password in it. */
const smscUrl = z.string().refine(isSmscUrl, {
  error:
    'not smpp://system-id:password@host:port, or smpps://… (signs like @ and / in the password as %40 and %2F)',
});
/** `DE,FR`, or `*` for all. */
const countries = list.pipe(
  z.array(z.string().regex(/^([A-Z]{2}|\*)$/, { error: 'a country is two capital letters; * is every one' })),
);
/** `US=2,*=10`: whole credits per segment. */
const pricesByCountry = list.pipe(
  z
    .array(
      z.string().regex(/^([A-Z]{2}|\*)=[1-9]\d{0,4}$/, {
        error: 'a price is a country (or *), =, and whole credits',
      }),
    )
    .transform((given) =>
      Object.fromEntries(
        given.map((item): [string, number] => [item.split('=')[0] ?? '', Number(item.split('=')[1])]),
      ),
    ),
);
const planSettings = z.strictObject({
  id: z.string().regex(/^[a-z0-9_-]{1,32}$/, { error: 'a plan’s id is up to 32 of a-z, 0-9, _ and -' }),
  name: z.string().min(1).max(64),
  monthlyCredits: z.int().min(0).max(100_000_000),
  price: z.string().regex(/^\d{1,6}\.\d\d$/, { error: 'a price is dollars and cents in quotes: "9.00"' }),
  leakSearches: z.int().min(0).max(1_000_000).default(0),
});
const plansInJson = z
  .string()
  .transform((text, context) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      context.addIssue('not JSON');
      return z.NEVER;
    }
  })
  .pipe(z.array(planSettings).refine(haveOwnIds, { error: 'two plans have the same id' }));
/** Sockets are opened on it, also by the media workers, which know no names. */
const listenAddress = z
  .string()
  .transform((text) => (text === 'localhost' ? '127.0.0.1' : text))
  .refine((text) => isIP(text) !== 0, { error: 'an IP address of this machine' });
/** What Express takes for `trust proxy`. */
const trustedProxies = z
  .string()
  .refine((text) => /^\d{1,2}$/.test(text) || items(text).every(isNetwork), {
    error: 'a number of proxies, or addresses and networks by commas (10.0.0.0/8, loopback)',
    abort: true,
  })
  .transform((text) => (/^\d+$/.test(text) ? Number(text) : items(text)));

function haveOwnIds(plans: { id: string }[]): boolean {
  return new Set(plans.map(({ id }) => id)).size === plans.length;
}

function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, pathname, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && `${username}${password}${search}${hash}` === '' && pathname === '/';
}

function isSmscUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, hostname, pathname, search, hash } = new URL(text);
  const isWhole = hostname !== '' && username !== '' && password !== '';
  return /^smpps?:$/.test(protocol) && isWhole && /^\/?$/.test(pathname) && search + hash === '';
}

function isNetwork(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
  const [address = '', prefix, ...more] = text.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
}

interface Setting<Schema extends z.ZodType> {
  schema: Schema;
  /** As it would stand in the environment. */
  default?: string;
  help: string;
}

const setting = <Schema extends z.ZodType>(
  schema: Schema,
  help: string,
  byDefault?: string,
): Setting<Schema> => ({
  schema,
  help,
  ...(byDefault === undefined ? {} : { default: byDefault }),
});

const defaultDataDir = process.getuid?.() === 0 ? '/var/lib/parley' : './data';

/** Every setting: the environment variable, what it may be, what it is when it is not set. */
export const settings = {
  PORT: setting(port, 'where HTTP and WebSocket are served', '3000'),
  HOST: setting(listenAddress, 'the address to listen on; 0.0.0.0 for all', '127.0.0.1'),
  PUBLIC_URL: setting(origin.optional(), 'the address users open; needed in production'),
  DATA_DIR: setting(z.string().min(1), 'where the database, files and keys lie', defaultDataDir),
  DATABASE_URL: setting(
    z.url({ protocol: /^postgres(ql)?$/ }).optional(),
    'a PostgreSQL to use in place of the embedded one (postgres://…)',
  ),
  SECRET_KEY: setting(
    z.string().min(32).optional(),
    'what all signing keys are derived from, at least 32 characters; generated once in DATA_DIR; needed in production',
  ),
  ALLOWED_ORIGINS: setting(
    list.pipe(z.array(origin)),
    'further origins whose pages may use this server, by commas',
    '',
  ),
  TRUST_PROXY: setting(
    trustedProxies,
    'how many proxies in front are believed, or their addresses by commas',
    '0',
  ),
  MEDIA_PORT: setting(
    port,
    "the first media worker's port, UDP and TCP; the next worker has the next",
    '20000',
  ),
  MEDIA_WORKERS: setting(workers, 'media workers, each with a core', String(availableParallelism())),
  MEDIA_ANNOUNCED_ADDRESS: setting(
    list,
    'the addresses media clients are told, by commas, where they are not the one listened on: behind a NAT',
    '',
  ),
  CHAINS_MAINNET: setting(
    chains,
    'EVM chains by id and RPC address, by commas (1=https://…,137=https://…): for contract wallets',
    '',
  ),
  CHAINS_TESTNET: setting(chains, 'the same for the test network (11155111=https://…)', ''),
  TURN_URLS: setting(
    list.pipe(z.array(z.string().regex(/^turns?:/, { error: 'turn: or turns: addresses' }))),
    'TURN servers for clients behind strict firewalls, by commas (turn:turn.example.org:3478?transport=tcp)',
    '',
  ),
  TURN_SECRET: setting(
    z.string().min(1).optional(),
    "the secret shared with the TURN servers (coturn's static-auth-secret)",
  ),
  TURN_TTL_SECONDS: setting(seconds, 'how long TURN credentials hold', '43200'),
  MEDIASOUP_WORKER_BIN: setting(
    z.string().min(1).optional(),
    'a mediasoup-worker to run in place of the one from set-up',
  ),
  CALL_RING_SECONDS: setting(seconds, 'how long a call rings', '30'),
  CALL_GRACE_SECONDS: setting(seconds, "how long a party's device may be away before its call ends", '20'),
  RATE_LIMIT_REALTIME: setting(count, 'requests per realtime connection and 10 s', '200'),
  RATE_LIMIT_CALLS: setting(count, 'calls a wallet may start in a minute', '60'),
  RATE_LIMIT_CALLED: setting(count, 'calls that may ring at a wallet in a minute', '120'),
  RATE_LIMIT_AUTH: setting(count, 'sign-in requests per IP address and minute', '300'),
  RATE_LIMIT_READS: setting(count, 'HTTP reads per key or account and minute', '600'),
  RATE_LIMIT_WRITES: setting(count, 'HTTP writes per key or account and minute', '60'),
  RATE_LIMIT_LEAKSEARCH: setting(count, 'breach searches per key or account and minute', '10'),
  REQUEST_LEASE_SECONDS: setting(
    seconds,
    'how long the credits and the Idempotency-Key of a request outlive its process, when that is killed',
    '60',
  ),
  SIGNUP_CREDITS: setting(
    number.pipe(z.int()).optional(),
    'credits an account begins with: 500, in production 0, unless set',
  ),
  PLANS: setting(
    plansInJson,
    'the plans there are, as JSON: [{"id","name","monthlyCredits","price","leakSearches"}]',
    '[]',
  ),
  CARRIER: setting(
    z.enum(['loopback', 'smpp', 'twilio']),
    'who carries texts and sells numbers: loopback stays within this installation; smpp and twilio go out',
    'loopback',
  ),
  SMPP_URL: setting(
    smscUrl.optional(),
    'the SMSC for CARRIER=smpp: smpp://system-id:password@host:port, smpps:// for TLS',
  ),
  SMPP_SYSTEM_TYPE: setting(
    z.string().regex(/^[\x20-\x7e]{0,12}$/, { error: 'up to 12 signs of ASCII' }),
    'the system_type it wants, if any',
    '',
  ),
  SMPP_BIND: setting(
    z.enum(['transceiver', 'separate']),
    'one connection for both ways, or a transmitter and a receiver',
    'transceiver',
  ),
  SMPP_NUMBERS: setting(
    phoneNumbers,
    'the numbers it has assigned to this bind, by commas: sold to accounts, but for those in SMS_POOL_NUMBERS',
    '',
  ),
  SMPP_WINDOW: setting(
    number.pipe(z.int().min(1).max(1_000)),
    'how many texts may wait for its answer at once',
    '10',
  ),
  SMPP_ENQUIRE_SECONDS: setting(seconds, 'how often it is asked whether it is there', '30'),
  SMPP_CA_FILE: setting(
    z.string().min(1).optional(),
    'who signed its certificate, as a PEM file, where the system doesn’t know',
  ),
  TWILIO_ACCOUNT_SID: setting(
    z
      .string()
      .regex(/^AC[0-9a-f]{32}$/, { error: 'AC and 32 hexadecimal digits' })
      .optional(),
    'the account for CARRIER=twilio',
  ),
  TWILIO_AUTH_TOKEN: setting(
    z.string().min(1).optional(),
    'its auth token: also what its webhooks are signed with',
  ),
  TWILIO_API_BASE: setting(origin, 'where Twilio’s API is', 'https://api.twilio.com'),
  SMS_POOL_NUMBERS: setting(
    phoneNumbers,
    'the numbers texts go out from that come from no number of the account’s own, by commas; loopback brings some',
    '',
  ),
  SMS_COUNTRIES: setting(
    countries,
    'the countries that may be texted, by commas; * for all: pumped traffic is the first fraud such a service sees',
    'US,CA,GB,GG,JE,IM,IE,DE,AT,CH,FR,BE,NL,LU,ES,PT,IT,DK,SE,NO,FI,PL,CZ,AU,NZ,JP',
  ),
  SMS_PRICES: setting(
    pricesByCountry,
    'what a segment costs by country, where the built-in table is not to be followed (US=2,DE=10,*=15)',
    '',
  ),
  SMS_SUBMIT_SECONDS: setting(
    seconds,
    'how long the carrier may take to accept a text or sell a number, before its outcome is unknown',
    '20',
  ),
  NUMBER_GRACE_DAYS: setting(
    count,
    'how long an expired number can still be renewed, before it is given back',
    '14',
  ),
  LOG_LEVEL: setting(
    z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
    'how much is logged',
    'info',
  ),
  LOG_PRETTY: setting(flag, 'logs for people instead of JSON lines', String(process.stdout.isTTY === true)),
  NODE_ENV: setting(
    z.enum(['development', 'production', 'test']),
    'production demands its secrets',
    'development',
  ),
};

type Settings = typeof settings;
type Values = { [Name in keyof Settings]: z.output<Settings[Name]['schema']> };

export interface Config extends Values {
  isProduction: boolean;
  /** `--https`: a self-signed certificate, for phones on the same network. */
  https: boolean;
}

/** Everything that is wrong with the environment, in one message. */
export class ConfigError extends Error {
  constructor(problems: string[]) {
    super(
      `The configuration is not valid:\n${problems.map((problem) => `  - ${problem}`).join('\n')}\nnpm start -- --help lists every setting.`,
    );
    this.name = 'ConfigError';
  }
}

/** @throws ConfigError with all problems at once */
export function readConfig(env: NodeJS.ProcessEnv, flags: { https?: boolean } = {}): Config {
  const problems: string[] = [];
  const values = Object.fromEntries(
    Object.entries(settings).map(([name, { schema, default: byDefault }]: [string, Setting<z.ZodType>]) => {
      // An empty variable is one that is not set: that is how shells and compose files write it.
      const parsed = z.safeParse(schema, env[name] === '' ? byDefault : (env[name] ?? byDefault));
      if (!parsed.success)
        problems.push(`${name}: ${parsed.error.issues.map((issue) => issue.message).join('; ')}`);
      return [name, parsed.data];
    }),
  ) as Values;
  const isProduction = values.NODE_ENV === 'production';
  if (isProduction && !env.SECRET_KEY)
    problems.push('SECRET_KEY: production needs one (openssl rand -hex 32 makes one)');
  if ((values.TURN_URLS?.length ?? 0) > 0 && !values.TURN_SECRET)
    problems.push('TURN_SECRET: TURN_URLS needs it');
  if (isProduction && !env.PUBLIC_URL) problems.push('PUBLIC_URL: production needs the address users open');
  problems.push(...carrierProblems(values), ...portProblems(values));
  if (problems.length > 0) throw new ConfigError(problems);
  const https = flags.https ?? false;
  // Without a word on the address, --https is for the phones on this network.
  const HOST = https && !env.HOST ? '0.0.0.0' : values.HOST;
  return { ...values, HOST, isProduction, https };
}

/** A carrier that is named has all it needs. */
function carrierProblems({ CARRIER, ...values }: Partial<Values>): string[] {
  const missing = (names: (keyof Values)[]) =>
    names.filter((name) => values[name as keyof typeof values] === undefined);
  switch (CARRIER) {
    case 'smpp':
      return [
        ...missing(['SMPP_URL']).map((name) => `${name}: CARRIER=smpp needs it`),
        ...(isReadable(values.SMPP_CA_FILE) ? [] : ['SMPP_CA_FILE: this file can’t be read']),
      ];
    case 'twilio':
      return missing(['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN', 'PUBLIC_URL']).map((name) =>
        name === 'PUBLIC_URL'
          ? `${name}: CARRIER=twilio needs it: Twilio calls this address`
          : `${name}: CARRIER=twilio needs it`,
      );
    default:
      return [];
  }
}

function isReadable(path: string | undefined): boolean {
  try {
    if (path !== undefined) accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** Any of them may be undefined, where its own problem has been named. */
function portProblems({ PORT, MEDIA_PORT, MEDIA_WORKERS }: Partial<Values>): string[] {
  if (PORT === undefined || MEDIA_PORT === undefined || MEDIA_WORKERS === undefined) return [];
  const last = MEDIA_PORT + MEDIA_WORKERS - 1;
  if (last > 65_535)
    return [`MEDIA_PORT: ${MEDIA_WORKERS} media workers need ports up to ${last}, and there are 65535`];
  if (PORT >= MEDIA_PORT && PORT <= last)
    return [`MEDIA_PORT: the media workers need ports ${MEDIA_PORT} to ${last}, and PORT is one of them`];
  return [];
}

export function helpText(): string {
  const rows = Object.entries(settings).map(
    ([name, { help, default: byDefault }]: [string, Setting<z.ZodType>]) => {
      const shown = byDefault === undefined || byDefault === '' ? '' : ` (${byDefault})`;
      return `  ${name.padEnd(24)} ${help}${shown}`;
    },
  );
  return `Parley: calls, conferences, streams and messages between wallets.

  npm start                 runs the server
  npm start -- --https      serves with a self-signed certificate, for phones on the same network
  npm start -- --help       shows this

Settings are environment variables (the default in brackets):
${rows.join('\n')}
`;
}
