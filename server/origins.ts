import type { Config } from './config.ts';

/** Which pages may use this server. What the Host header says plays no part: whoever asks writes it. */
export interface Origins {
  /** The address users open. */
  readonly publicUrl: string;
  /** A page this server serves. */
  readonly isOwn: (origin: string) => boolean;
  /** A page of ours, or of somebody in ALLOWED_ORIGINS. */
  readonly isAllowed: (origin: string) => boolean;
}

type Used = Pick<Config, 'PUBLIC_URL' | 'PORT' | 'ALLOWED_ORIGINS' | 'isProduction' | 'https'>;

export function createOrigins(config: Used, lanAddress: string | null = null): Origins {
  const { PUBLIC_URL, PORT, ALLOWED_ORIGINS, isProduction, https } = config;
  const scheme = https ? 'https' : 'http';
  const here = (host: string) => new URL(`${scheme}://${host}:${PORT}`).origin;
  const publicUrl = PUBLIC_URL ?? here(lanAddress ?? '127.0.0.1');
  const loopback = isProduction ? [] : ['localhost', '127.0.0.1', '[::1]'].map(here);
  const own = new Set([publicUrl, ...loopback]);
  const allowed = new Set([...own, ...ALLOWED_ORIGINS]);
  return { publicUrl, isOwn: (origin) => own.has(origin), isAllowed: (origin) => allowed.has(origin) };
}
