import { createECDH } from 'node:crypto';
import webPush from 'web-push';
import type { Push, PushOutcome } from '../../signaling/notifications/PushSender.ts';
import { AddressNotAllowed } from '../outgoing/guardedLookup.ts';
import type { OutsideClient } from '../outgoing/OutsideClient.ts';
import { outcomeOf, outcomeOfError, sendTimeoutMs, type PushDriver, type TargetOf } from './PushDriver.ts';
import type { VapidKeys } from './vapidKeys.ts';
import { badField } from '../http/refusals.ts';

interface WebPushDeps {
  keys: VapidKeys;
  /** The contact for operators of push services: mailto: or https:. */
  subject: string;
  outside: OutsideClient;
}

type WebTarget = TargetOf<'web'>;

/** The maximum number of bytes read from an answer. They are read because the text of a refusal is logged. */
const shownLength = 200;

/**
 * How Google, Mozilla and Apple say that a subscription was made for another VAPID key. It never works again. The status does not tell this:
 * a token with a wrong time or subject, which the operator can mend, has the same one.
 */
const madeForAnotherKey =
  /credentials used to create the subscription|correspond to the sender ID|VAPID public key mismatch|VapidPkHashMismatch/i;

/**
 * The driver for browsers. Payloads are encrypted for the receiver (RFC 8291) and signed by this server (RFC 8292). Clients choose the
 * endpoint, so it is restricted like a webhook URL: only public addresses are allowed, and they are checked when the socket connects.
 */
export class WebPushDriver implements PushDriver<'web'> {
  readonly #deps: WebPushDeps;

  constructor(deps: WebPushDeps) {
    this.#deps = deps;
  }

  check({ endpoint, p256dh }: WebTarget): void {
    const url = new URL(endpoint);
    if (url.username || url.password || !this.#deps.outside.mayReach(url))
      throw badField(
        'endpoint',
        'url_not_allowed',
        'use a public internet address that is not this server’s own',
      );
    try {
      const curve = createECDH('prime256v1');
      curve.generateKeys();
      curve.computeSecret(Buffer.from(p256dh, 'base64url'));
    } catch {
      throw badField(
        'p256dh',
        'custom',
        'not a point of the curve P-256; send the key of the browser’s subscription',
      );
    }
  }

  async send(target: WebTarget, push: Push): Promise<PushOutcome> {
    let reached = false;
    try {
      return await this.#post(target, push, () => (reached = true));
    } catch (error) {
      if (error instanceof AddressNotAllowed) return { state: 'failed', why: error.code };
      return outcomeOfError(error, reached);
    }
  }

  async #post(
    { endpoint, p256dh, auth }: WebTarget,
    push: Push,
    onReached: () => void,
  ): Promise<PushOutcome> {
    const { keys, subject } = this.#deps;
    const { headers, body } = webPush.generateRequestDetails(
      { endpoint, keys: { p256dh, auth } },
      JSON.stringify(push.message),
      {
        vapidDetails: { subject, ...keys },
        TTL: Math.max(0, Math.ceil((push.expiresAt.getTime() - Date.now()) / 1_000)),
        urgency: push.urgent ? 'high' : 'normal',
        topic: push.topic,
      },
    );
    const answer = await this.#deps.outside.post(new URL(endpoint), {
      headers: headers,
      body,
      signal: AbortSignal.timeout(sendTimeoutMs),
      maxBytes: shownLength,
      onConnected: onReached,
    });
    const why = answer.body.toString();
    if ([400, 401, 403].includes(answer.status) && madeForAnotherKey.test(why)) return { state: 'gone' };
    return outcomeOf(answer.status, answer.headers['retry-after'], why);
  }
}
