import { pino, stdSerializers, type LogFn, type Logger } from 'pino';

/** Members that hold secrets, wherever in a logged object they are. */
const secretMembers = [
  'token',
  'refreshToken',
  'sessionToken',
  'accessToken',
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
/** Deeper than this nothing of ours is logged. */
const depths = ['', '*.', '*.*.', '*.*.*.'];
const redacted = depths.flatMap((depth) =>
  secretMembers.map((name) => (name.startsWith('[') ? depth.slice(0, -1) + name : depth + name)),
);

/** JSON lines, or lines for people; secrets show as [redacted]. */
export function createLogger({
  LOG_LEVEL: level,
  LOG_PRETTY,
}: {
  LOG_LEVEL: string;
  LOG_PRETTY: boolean;
}): Logger {
  const options = {
    level,
    redact: { paths: redacted, censor: '[redacted]' },
    serializers: { err: showError },
    hooks: { logMethod: serializeError },
    base: null,
  };
  if (!LOG_PRETTY) return pino(options);
  return pino({
    ...options,
    transport: {
      target: 'pino-pretty',
      options: { translateTime: 'HH:MM:ss.l', ignore: 'pid,hostname', singleLine: true },
    },
  });
}

/** Where a line has an error and no words, pino takes the error's own, which showError has not cleaned. */
function serializeError(this: Logger, args: Parameters<LogFn>, method: LogFn): void {
  const [what, words] = args as [unknown, unknown];
  const err = what instanceof Error ? what : (what as { err?: unknown } | null)?.err;
  if (err instanceof Error && words === undefined) method.call(this, what, 'an error');
  else method.apply(this, args);
}

/** The keys of an RPC or the password of a database stand in its address; viem also quotes what it sent, signatures included. */
const withoutSecrets = (text: string) =>
  text
    .replace(/\b(?!file:)([a-z][a-z0-9+.-]*:\/\/)(?:[^\s/@"']*@)?([^\s/"'?#)]+)[^\s"')]*/gi, '$1$2/…')
    .replace(/Request body: .*/g, 'Request body: …')
    .replace(/0x[0-9a-f]{100,}/gi, '0x…');

/** Of what errors carry beside their words, these are no secrets; others have the request, the headers, the row. */
const shownMembers = ['code', 'reason', 'status', 'syscall', 'signal', 'exitCode'] as const;

/** An error without the values of a failed query (what people wrote, hashes of their tokens), which Drizzle puts into its words. */
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

/** As they stand in the messages of the error and of what caused it. */
function parametersOf(error: Error): string[] {
  const found: string[] = [];
  for (let link: unknown = error; link instanceof Error && found.length < 10; link = link.cause) {
    const { params } = link as { params?: unknown };
    // As drizzle does it.
    if (Array.isArray(params)) found.push(`\nparams: ${params.join(',')}`);
  }
  return found;
}
