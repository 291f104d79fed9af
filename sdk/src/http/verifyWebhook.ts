import { ParleyError } from '../../protocol/errors.ts';
import type { Reason } from '../../protocol/reasons.ts';
import type { WireWebhookEvent } from '../../protocol/webhooks.ts';
import { fromWire } from '../connection/fromWire.ts';
import type { WebhookEvent } from './phoneTypes.ts';

type HeaderRecord = Record<string, string | string[] | undefined>;

const defaultToleranceSeconds = 5 * 60;

/**
 * Verifies that a webhook request was sent recently, by the server that issued the secret.
 * @param payload the raw body of the request. A body that was parsed and serialised again does not match the signature
 * @param headers the headers of the request, in the form in which Node's http or fetch supplies them
 * @param secret the webhook's secret, `whsec_…`
 * @param options.toleranceSeconds the largest difference between the webhook's timestamp and this clock, in seconds. Default: 300
 * @returns the event
 * @throws ParleyError VALIDATION_ERROR: the request cannot be trusted, so do not process it. `reason` is `missing_signature`,
 * `invalid_signature`, `timestamp_out_of_range` or `invalid_secret`
 * @example
 * app.post('/hook', express.raw({ type: 'application/json' }), async (request, response) => {
 *   const event = await verifyWebhook(request.body, request.headers, process.env.PARLEY_WEBHOOK_SECRET ?? '');
 *   if (event.type === 'message.received') console.log(event.data.message);
 *   response.sendStatus(204);
 * });
 */
export async function verifyWebhook(
  payload: string | Uint8Array<ArrayBuffer> | ArrayBuffer,
  headers: Headers | HeaderRecord,
  secret: string,
  { toleranceSeconds = defaultToleranceSeconds }: { toleranceSeconds?: number } = {},
): Promise<WebhookEvent> {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    headerOf(headers, `webhook-${name}`),
  );
  if (!id || !timestamp || !signatures) throw refused('missing_signature', 'the webhook is not signed');
  if (!/^\d{1,12}$/.test(timestamp)) throw refused('invalid_signature', 'the timestamp is not a number');
  const ageSeconds = Date.now() / 1_000 - Number(timestamp);
  if (Math.abs(ageSeconds) > toleranceSeconds)
    throw refused('timestamp_out_of_range', 'it is too old, or this clock is wrong');
  const body = typeof payload === 'string' ? new TextEncoder().encode(payload) : new Uint8Array(payload);
  const signed = join(new TextEncoder().encode(`${id}.${timestamp}.`), body);
  if (!(await isSigned(signed, signatures, secret)))
    throw refused('invalid_signature', 'the signature does not match the secret');
  return fromWire(JSON.parse(new TextDecoder().decode(body)) as WireWebhookEvent);
}

/** One valid signature is enough, because for a day after a rotation both secrets sign. The comparison takes constant time. */
async function isSigned(
  signed: Uint8Array<ArrayBuffer>,
  signatures: string,
  secret: string,
): Promise<boolean> {
  const bytes = fromBase64(secret.replace(/^whsec_/, ''));
  if (!bytes?.length) throw refused('invalid_secret', 'the secret must have the form whsec_…');
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify']);
  for (const each of signatures.split(' ')) {
    const [version, text = ''] = each.split(',', 2);
    const signature = version === 'v1' ? fromBase64(text) : null;
    if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed))) return true;
  }
  return false;
}

function headerOf(headers: Headers | HeaderRecord, name: string): string | undefined {
  if (typeof headers.get === 'function') return (headers as Headers).get(name) ?? undefined;
  const record = headers as HeaderRecord;
  const found = Object.keys(record).find((key) => key.toLowerCase() === name);
  const value = found === undefined ? undefined : record[found];
  return Array.isArray(value) ? value[0] : value;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

function join(head: Uint8Array, tail: Uint8Array): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(head.length + tail.length);
  joined.set(head);
  joined.set(tail, head.length);
  return joined;
}

function refused(reason: Reason, message: string): ParleyError {
  return new ParleyError('VALIDATION_ERROR', `Webhook refused: ${message}.`, { reason });
}
