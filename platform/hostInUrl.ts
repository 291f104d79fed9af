import { isIP } from 'node:net';

/** A host name or an IP address as it is written in a URL: an IPv6 address is in brackets. */
export const hostInUrl = (host: string): string => (isIP(host) === 6 ? `[${host}]` : host);
