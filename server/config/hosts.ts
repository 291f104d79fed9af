import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import type { RequestHandler } from 'express';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { Config } from './config.ts';

type Used = Pick<Config, 'PUBLIC_URL' | 'ALLOWED_ORIGINS' | 'isProduction'>;

/** Null for a request that may go on; else why not. */
export type RefuseHost = (request: Pick<IncomingMessage, 'headers'>) => string | null;

/**
 * A page may give its own name this machine's address (DNS rebinding), and is then of one origin with the server, for its browser. So
 * a server answers to the names it was given. Addresses are fine: no page can give itself one.
 * @param onRefused hears of each name this server does not answer to
 */
export function createHosts(
  { PUBLIC_URL, ALLOWED_ORIGINS, isProduction }: Used,
  onRefused: (name: string) => void = () => {},
): RefuseHost {
  const given = [PUBLIC_URL, ...ALLOWED_ORIGINS].flatMap((origin) =>
    origin && /^https?:/.test(origin) ? [new URL(origin).hostname] : [],
  );
  const machine = hostname().toLowerCase();
  const names = new Set(['localhost', ...given, ...(isProduction ? [] : [machine, `${machine}.local`])]);
  const isOwn = (name: string) =>
    names.has(name) ||
    isIP(name) !== 0 ||
    name.endsWith('.localhost') ||
    // As proxies and containers call it; the internet's DNS has no such names.
    (isProduction && /^[\w-]+$/.test(name));
  let latest: string | undefined;
  return ({ headers: { host } }) => {
    // Health checks of HTTP/1.0 send none; browsers always do.
    if (host === undefined || host === latest) return null;
    const name = nameOf(host);
    if (isOwn(name)) {
      latest = host;
      return null;
    }
    onRefused(name);
    return `This server does not answer to the name ${name}. Use the address in its PUBLIC_URL; or add this one (https://${name}) to ALLOWED_ORIGINS, if it leads to this server.`;
  };
}

/** As DNS has it, and a port. */
const longestName = 260;

/** Without its port, and without the brackets of IPv6. */
const nameOf = (host: string) =>
  host
    .slice(0, longestName)
    .toLowerCase()
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');

/** Asked by address, or by any name, by what watches over servers. */
const forAll = new Set(['/healthz', '/readyz']);

/** Before anything else looks at a request. */
export const refuseForeignHosts =
  (refuse: RefuseHost): RequestHandler =>
  (request, _response, next) => {
    const why = refuse(request);
    if (why === null || forAll.has(request.path)) return next();
    throw new ParleyError('ACCESS_DENIED', why, { reason: 'misdirected_request' });
  };
