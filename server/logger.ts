import { pino, type Logger } from 'pino';

/** Members that hold secrets, wherever in a logged object they are. */
const secretMembers = [
  'token',
  'refreshToken',
  'signature',
  'password',
  'secret',
  'apiKey',
  'streamKey',
  'authorization',
  'cookie',
];
const redacted = secretMembers.flatMap((name) => [name, `*.${name}`, `*.*.${name}`, `*.*.*.${name}`]);

/** JSON lines, or lines for people; secrets show as [redacted]. */
export function createLogger({
  LOG_LEVEL: level,
  LOG_PRETTY,
}: {
  LOG_LEVEL: string;
  LOG_PRETTY: boolean;
}): Logger {
  const options = { level, redact: { paths: redacted, censor: '[redacted]' }, base: null };
  if (!LOG_PRETTY) return pino(options);
  return pino({
    ...options,
    transport: {
      target: 'pino-pretty',
      options: { translateTime: 'HH:MM:ss.l', ignore: 'pid,hostname', singleLine: true },
    },
  });
}
