import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { Writable } from 'node:stream';
import { destination, multistream, pino, stdSerializers, transport, type LogFn, type Logger } from 'pino';

/** Names of members that contain secrets, at any depth of a logged object. */
const secretMembers = [
  'token',
  'refreshToken',
  'sessionToken',
  'accessToken',
  'participantToken',
  'signature',
  'password',
  'secret',
  'SECRET_KEY',
  'DATABASE_URL',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'privateKey',
  'apiKey',
  'streamKey',
  'credential',
  'authorization',
  'Authorization',
  'cookie',
  '["set-cookie"]',
];
/** The depths at which secrets are redacted. No logged object is nested more deeply. */
const depths = ['', '*.', '*.*.', '*.*.*.'];
const redacted = depths.flatMap((depth) =>
  secretMembers.map((name) => (name.startsWith('[') ? depth.slice(0, -1) + name : depth + name)),
);

/**
 * Logs JSON lines, or readable lines with LOG_PRETTY. Secrets appear as [redacted], and wallets as pseudonyms.
 * @param errors gets the lines of warnings and errors too
 */
export function createLogger(
  {
    LOG_LEVEL: level,
    LOG_PRETTY,
    SECRET_KEY,
  }: { LOG_LEVEL: string; LOG_PRETTY: boolean; SECRET_KEY?: string | undefined },
  errors?: Writable,
): Logger {
  const options = {
    level,
    redact: { paths: redacted, censor: '[redacted]' },
    serializers: { err: showError },
    hooks: { logMethod: serializeError, streamWrite: walletPseudonyms(SECRET_KEY) },
    base: null,
  };
  const pretty = { translateTime: 'HH:MM:ss.l', ignore: 'pid,hostname', singleLine: true };
  const output = LOG_PRETTY ? transport({ target: 'pino-pretty', options: pretty }) : standardOutput();
  if (!errors) return pino(options, output);
  return pino(
    options,
    multistream([
      { level: 'trace', stream: output },
      { level: 'warn', stream: errors },
    ]),
  );
}

/**
 * Standard output. If it is a file on a full disk, lines are lost until there is room again. pino's own destination would end the process
 * with an error, and then try for ever to write the rest.
 */
function standardOutput(): { write: (line: string) => void } {
  let isFailing = false;
  const open = () => {
    const opened = destination(1);
    const flush = opened.flushSync.bind(opened);
    // pino calls this at the exit.
    opened.flushSync = () => {
      // A thread may still write the line before these. They would overtake it.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
      if (!isFailing) flush();
    };
    opened.on('write', () => (isFailing = false));
    opened.once('error', () => {
      isFailing = true;
      opened.destroy();
      output = open();
    });
    return opened;
  };
  let output = open();
  return { write: (line) => void output.write(line) };
}

/** A wallet, wherever it is in a line: an address, or `eip155:` with chain and address. */
const wallet = /(?:eip155:\d{1,15}:)?0x[0-9a-f]{40}(?![0-9a-f])/gi;

/**
 * Replaces wallets by pseudonyms, so that the log does not say who calls whom, and nothing has to be removed from it when an account is
 * erased. The same wallet has the same pseudonym on all nodes with this SECRET_KEY; without one, until the process ends.
 */
export function walletPseudonyms(secret: string | undefined): (line: string) => string {
  const key = Buffer.from(hkdfSync('sha256', secret ?? randomBytes(32), '', 'parley/log', 32));
  const named = (found: string) =>
    `wallet-${createHmac('sha256', key).update(found.toLowerCase()).digest('hex').slice(0, 12)}`;
  return (line) => line.replace(wallet, named);
}

/**
 * Adds a message to log calls that have an error but no message. Otherwise pino would log the error's own message, from which showError has
 * not removed secrets.
 */
function serializeError(this: Logger, args: Parameters<LogFn>, method: LogFn): void {
  const [object, message] = args as [unknown, unknown];
  const err = object instanceof Error ? object : (object as { err?: unknown } | null)?.err;
  if (err instanceof Error && message === undefined) method.call(this, object, 'an error');
  else method.apply(this, args);
}

/**
 * Removes secrets from a text: the address of an RPC endpoint or database contains a key or password, and viem also quotes the request
 * body, including signatures. A participant token is removed wherever it is.
 */
const withoutSecrets = (text: string) =>
  text
    .replace(/\b(?!file:)([a-z][a-z0-9+.-]*:\/\/)(?:[^\s/@"']*@)?([^\s/"'?#)]+)[^\s"')]*/gi, '$1$2/…')
    .replace(/Request body: .*/g, 'Request body: …')
    .replace(/0x[0-9a-f]{100,}/gi, '0x…')
    .replace(/\bpt_[0-9A-Za-z]{20,}/g, 'pt_…');

/** The members of errors that are logged, because they contain no secrets. Other members may contain the request, its headers or a row. */
const shownMembers = ['code', 'reason', 'status', 'syscall', 'signal', 'exitCode'] as const;

/**
 * Converts an error for the log. Leaves out the values of a failed query, which Drizzle puts into the error's message, because they may be
 * people's messages or hashes of their tokens.
 */
export function showError(error: Error): unknown {
  if (!(error instanceof Error)) return stdSerializers.err(error);
  const values = parametersOf(error);
  const clean = (text: string) =>
    withoutSecrets(values.reduce((rest, value) => rest.replaceAll(value, ''), text));
  const { type, message, stack, ...members } = stdSerializers.err(error);
  const shown = shownMembers.filter((name) => members[name] !== undefined);
  return {
    type,
    message: clean(message),
    stack: clean(stack),
    ...Object.fromEntries(shown.map((name) => [name, members[name] as unknown])),
  };
}

/** The stack of an error, without what showError() leaves out. */
export const stackOf = (error: unknown): string =>
  error instanceof Error ? (showError(error) as { stack: string }).stack : String(error);

/** The parameters of failed queries, as they appear in the messages of the error and its causes. */
function parametersOf(error: Error): string[] {
  const found: string[] = [];
  for (let link: unknown = error; link instanceof Error && found.length < 10; link = link.cause) {
    const { params } = link as { params?: unknown };
    // Drizzle's messages contain the parameters in this form.
    if (Array.isArray(params)) found.push(`\nparams: ${params.join(',')}`);
  }
  return found;
}
