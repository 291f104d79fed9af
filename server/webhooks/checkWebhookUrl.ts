import { isIP } from 'node:net';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { isAllowedAddress } from './isAllowedAddress.ts';

interface UrlRules {
  /** This machine, and http. For development and tests. */
  allowLoopback: boolean;
}

/** Names of local networks (RFC 6762, RFC 8375, and ICANN's for private use, which clouds give their machines). */
const localNames = /\.(local|internal|home\.arpa)$/;

/**
 * What can be said of an address without asking anybody. Where its name leads is checked at every connection.
 * @throws ParleyError invalid_url, url_not_allowed
 */
export function checkWebhookUrl(text: string, rules: UrlRules): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || text !== text.trim()) throw refused('invalid_url', 'not an address: https://…');
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw refused('invalid_url', 'an address of a webhook begins with https://');
  if (url.username || url.password)
    throw refused('invalid_url', 'no name and password in the address: webhooks are signed');
  if (url.protocol === 'http:' && !rules.allowLoopback) throw refused('url_not_allowed', 'https only');
  if (!mayBePublic(hostOf(url), rules))
    throw refused('url_not_allowed', 'the address has to be one on the internet');
  return text;
}

/** Without the brackets of an IPv6 address and the dot at a name's end. */
export const hostOf = (url: URL) => url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

export const isLocalhost = (host: string) => /(^|\.)localhost$/.test(host);

function mayBePublic(host: string, { allowLoopback }: UrlRules): boolean {
  if (isIP(host)) return isAllowedAddress(host, { allowLoopback });
  if (isLocalhost(host)) return allowLoopback;
  return host.includes('.') && !localNames.test(host);
}

function refused(reason: 'invalid_url' | 'url_not_allowed', message: string): ParleyError {
  return new ParleyError('VALIDATION_ERROR', `url: ${message}`, {
    reason,
    details: [{ path: 'url', code: reason, message }],
  });
}
