import { mayBePublic } from '../outgoing/addressRules.ts';
import { type AddressRules } from '../outgoing/isAllowedAddress.ts';
import { badField } from '../http/refusals.ts';

/**
 * Checks a URL without resolving its name. The resolved address is checked whenever a connection is made.
 * @throws ParleyError invalid_url, url_not_allowed
 */
export function checkWebhookUrl(text: string, rules: AddressRules): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || text !== text.trim()) throw refused('invalid_url', 'not a URL; use https://…');
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw refused('invalid_url', 'the URL of a webhook must begin with https://');
  if (url.username || url.password)
    throw refused(
      'invalid_url',
      'leave user name and password out of the URL; check the signature of webhooks instead',
    );
  if (url.protocol === 'http:' && !rules.allowLoopback) throw refused('url_not_allowed', 'use https://');
  if (!mayBePublic(url, rules))
    throw refused('url_not_allowed', 'use a public internet address that is not this server’s own');
  return text;
}

const refused = (reason: 'invalid_url' | 'url_not_allowed', message: string) =>
  badField('url', reason, message, reason);
