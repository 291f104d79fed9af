import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import type { RequestHandler } from 'express';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { Config } from './config.ts';

type Used = Pick<Config, 'PUBLIC_URL' | 'ALLOWED_ORIGINS' | 'isProduction'>;

/** Returns null if the host name of the request is accepted, otherwise the reason for the refusal. */
export type RefuseHost = (request: Pick<IncomingMessage, 'headers'>) => string | null;

/**
 * Protects against DNS rebinding: the owner of a foreign page may point the page's host name at this machine. Browsers then treat this
 * server as the page's own origin. So the server accepts only host names it knows. It accepts all IP addresses, because DNS rebinding needs
 * a name.
 * @param onRefused called with each refused name
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
    // Proxies and containers use names without a dot, which public DNS does not have.
    (isProduction && /^[\w-]+$/.test(name));
  let latest: string | undefined;
  return ({ headers: { host } }) => {
    // HTTP/1.0 health checks send no Host header. Browsers always do.
    if (host === undefined || host === latest) return null;
    const name = nameOf(host);
    if (isOwn(name)) {
      latest = host;
      return null;
    }
    onRefused(name);
    return `This server does not accept the host name ${name}. Use the address in its PUBLIC_URL. If ${name} also belongs to this server, add https://${name} to ALLOWED_ORIGINS.`;
  };
}

/** The maximum number of characters that are read from a Host header. The longest DNS name with a port fits. */
const longestName = 260;

/** The host name in a Host header, without the port and without the brackets around an IPv6 address. */
const nameOf = (host: string) =>
  host
    .slice(0, longestName)
    .toLowerCase()
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');

/**
 * Paths for monitoring, which may be requested under any host name: a monitoring system reads each node by itself, under a name of its own.
 * Metrics need a token, which a foreign page does not have.
 */
const monitoringPaths = new Set(['/healthz', '/readyz', '/metrics']);

/** Refuses requests for a host name that is not this server's. Must run before all other handlers. */
export const refuseForeignHosts =
  (refuse: RefuseHost): RequestHandler =>
  (request, _response, next) => {
    if (monitoringPaths.has(request.path)) return next();
    const why = refuse(request);
    if (why === null) return next();
    throw new ParleyError('ACCESS_DENIED', why, { reason: 'misdirected_request' });
  };
