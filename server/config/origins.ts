import { hostInUrl } from '../../platform/hostInUrl.ts';
import type { Config } from './config.ts';
import { isEveryAddress } from './isEveryAddress.ts';

/** Decides which pages may use this server. The Host header is not used, because clients can write anything into it. */
export interface Origins {
  /** The address that users open. */
  readonly publicUrl: string;
  /** Whether this server itself serves the pages of this origin. */
  readonly isOwn: (origin: string) => boolean;
  /** Whether the origin is the server's own or in ALLOWED_ORIGINS. In development, all origins on this machine are allowed too. */
  readonly isAllowed: (origin: string) => boolean;
}

type Used = Pick<Config, 'PUBLIC_URL' | 'HOST' | 'PORT' | 'ALLOWED_ORIGINS' | 'isProduction' | 'https'>;

const loopbackHosts = ['localhost', '127.0.0.1', '[::1]'];
/** The Android emulator's address for its host machine. React Native sends it as the origin of its WebSocket. */
const emulatorHost = '10.0.2.2';

/**
 * @param lanAddress an address of this machine under which others open the server, if HOST names none
 * @param onRefused called with each refused origin
 */
export function createOrigins(
  config: Used,
  lanAddress: string | null = null,
  onRefused: (origin: string) => void = () => {},
): Origins {
  const { PUBLIC_URL, HOST, PORT, ALLOWED_ORIGINS, isProduction, https } = config;
  const scheme = https ? 'https' : 'http';
  const here = (host: string) => new URL(`${scheme}://${host}:${PORT}`).origin;
  // A server with one address does not answer at any other, not even at 127.0.0.1.
  const address = isEveryAddress(HOST) ? (lanAddress ?? '127.0.0.1') : HOST;
  const publicUrl = PUBLIC_URL ?? here(hostInUrl(address));
  const own = new Set([publicUrl, ...(isProduction ? [] : loopbackHosts.map(here))]);
  const allowed = new Set([...own, ...ALLOWED_ORIGINS, ...(isProduction ? [] : [here(emulatorHost)])]);
  // For a page from a local file, Chromium sends the origin `null` with fetch, but `file://` with a WebSocket.
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

/** Limits on the number and length of logged origins, because clients can send any origin. */
const maxLogged = 100;
const maxLength = 200;

const originRefused = 'origin refused: to allow its pages to use this server, add it to ALLOWED_ORIGINS';

/** Logs an origin or host name when it is first refused, with the setting that would allow it. */
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
