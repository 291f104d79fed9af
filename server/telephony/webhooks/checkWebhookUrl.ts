import { ParleyError } from '../../../sdk/protocol/errors.ts';
import { mayBePublic } from '../../outgoing/addressRules.ts';
import { type AddressRules } from '../../outgoing/isAllowedAddress.ts';

/**
 * What can be said of an address without asking anybody. Where its name leads is checked at every connection.
 * @throws ParleyError invalid_url, url_not_allowed
 */
export function checkWebhookUrl(text: string, rules: AddressRules): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || text !== text.trim()) throw refused('invalid_url', 'not an address: https://…');
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw refused('invalid_url', 'an address of a webhook begins with https://');
  if (url.username || url.password)
    throw refused('invalid_url', 'no name and password in the address: webhooks are signed');
  if (url.protocol === 'http:' && !rules.allowLoopback) throw refused('url_not_allowed', 'https only');
  if (!mayBePublic(url, rules))
    throw refused('url_not_allowed', 'the address has to be one on the internet, and not this server’s own');
  return text;
}

function refused(reason: 'invalid_url' | 'url_not_allowed', message: string): ParleyError {
  return new ParleyError('VALIDATION_ERROR', `url: ${message}`, {
    reason,
    details: [{ path: 'url', code: reason, message }],
  });
}
