import type { Config } from './config.ts';

/** Which pages may use this server. What the Host header says plays no part: whoever asks writes it. */
export interface Origins {
  /** The address users open. */
  readonly publicUrl: string;
  /** A page this server serves. */
  readonly isOwn: (origin: string) => boolean;
  /** A page of ours, or of an origin in ALLOWED_ORIGINS; in development any page of this machine. */
  readonly isAllowed: (origin: string) => boolean;
}

type Used = Pick<Config, 'PUBLIC_URL' | 'PORT' | 'ALLOWED_ORIGINS' | 'isProduction' | 'https'>;

const loopbackHosts = ['localhost', '127.0.0.1', '[::1]'];
/** What the Android emulator calls the machine it runs on; React Native sends it as the origin of its WebSocket. */
const emulatorHost = '10.0.2.2';

/** @param onRefused hears of each origin that may not use this server */
export function createOrigins(
  config: Used,
  lanAddress: string | null = null,
  onRefused: (origin: string) => void = () => {},
): Origins {
  const { PUBLIC_URL, PORT, ALLOWED_ORIGINS, isProduction, https } = config;
  const scheme = https ? 'https' : 'http';
  const here = (host: string) => new URL(`${scheme}://${host}:${PORT}`).origin;
  const publicUrl = PUBLIC_URL ?? here(lanAddress ?? '127.0.0.1');
  const own = new Set([publicUrl, ...(isProduction ? [] : loopbackHosts.map(here))]);
  const allowed = new Set([...own, ...ALLOWED_ORIGINS, ...(isProduction ? [] : [here(emulatorHost)])]);
  // Chromium gives a page from a file the origin `null` in fetch, and this in a WebSocket.
  if (allowed.has('null')) allowed.add('file://');
  const isAllowed = (origin: string) => allowed.has(origin) || (!isProduction && isLoopback(origin));
  return {
    publicUrl,
    isOwn: (origin) => own.has(origin),
    isAllowed(origin) {
      const isFine = isAllowed(origin);
      if (!isFine) onRefused(origin);
      return isFine;
    },
  };
}

function isLoopback(origin: string): boolean {
  if (!URL.canParse(origin)) return false;
  const url = new URL(origin);
  return /^https?:$/.test(url.protocol) && loopbackHosts.includes(url.hostname) && url.origin === origin;
}

/** Anybody can send any origin: so many are logged, and not more of each than this. */
const maxLogged = 100;
const maxLength = 200;

const originRefused = 'origin refused: to let its pages use this server, add it to ALLOWED_ORIGINS';

/** Logs an origin, or a name of this server, when it is first refused, with the setting that the operator can change. */
export function refusalLog(
  log: { warn: (details: object, message: string) => void },
  what = 'origin',
  message = originRefused,
) {
  const logged = new Set<string>();
  return (given: string): void => {
    const refused = given.slice(0, maxLength);
    if (logged.has(refused) || logged.size >= maxLogged) return;
    logged.add(refused);
    log.warn({ [what]: refused }, message);
  };
}
