import { createECDH } from 'node:crypto';
import * as https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import webPush from 'web-push';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { Push, PushOutcome } from '../../signaling/notifications/PushSender.ts';
import { hostOf, isLocalhost } from '../webhooks/checkWebhookUrl.ts';
import { AddressNotAllowed, guardedLookup, type Resolve } from '../webhooks/guardedLookup.ts';
import { isAllowedAddress } from '../webhooks/isAllowedAddress.ts';
import { outcomeOf, outcomeOfError, sendTimeoutMs, type PushDriver, type TargetOf } from './PushDriver.ts';
import type { VapidKeys } from './vapidKeys.ts';

interface WebPushDeps {
  keys: VapidKeys;
  /** Whom a push service's operator may write to: mailto: or https:. */
  subject: string;
  /** DNS. */
  resolve: Resolve;
  /** This machine: for tests. */
  allowLoopback: boolean;
}

type WebTarget = TargetOf<'web'>;

/** As much of a refusal as is logged. */
const shownLength = 200;

/**
 * Browsers: encrypted for the one it is for (RFC 8291), signed by this server (RFC 8292). Clients name the address it goes to, so
 * it is treated like a webhook's: public ones alone, looked at when the socket connects.
 */
export class WebPushDriver implements PushDriver<'web'> {
  readonly #deps: WebPushDeps;
  readonly #lookup: LookupFunction;

  constructor(deps: WebPushDeps) {
    this.#deps = deps;
    this.#lookup = guardedLookup(deps.resolve, deps);
  }

  check({ endpoint, p256dh }: WebTarget): void {
    const url = new URL(endpoint);
    if (url.username || url.password || !this.#mayBePublic(hostOf(url)))
      throw refused('endpoint', 'url_not_allowed', 'the address has to be one on the internet');
    try {
      const curve = createECDH('prime256v1');
      curve.generateKeys();
      curve.computeSecret(Buffer.from(p256dh, 'base64url'));
    } catch {
      throw refused('p256dh', 'custom', 'no point of the curve P-256');
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

  close(): void {}

  #post({ endpoint, p256dh, auth }: WebTarget, push: Push, onReached: () => void): Promise<PushOutcome> {
    const url = new URL(endpoint);
    // No name, no lookup: the socket would connect straight away.
    if (isIP(hostOf(url)) && !isAllowedAddress(hostOf(url), this.#deps)) throw new AddressNotAllowed();
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
    return new Promise((resolve, reject) => {
      const request = https.request(url, {
        method: 'POST',
        // A socket of its own: none that was checked for another name.
        agent: false,
        lookup: this.#lookup,
        signal: AbortSignal.timeout(sendTimeoutMs),
        headers,
      });
      request.on('socket', (socket) => socket.once('secureConnect', onReached));
      request.on('response', (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          if (text.length < shownLength) text += chunk;
        });
        const { statusCode = 0 } = response;
        // The status is the answer, however what follows ends.
        response.on('close', () =>
          resolve(outcomeOf(statusCode, response.headers['retry-after'], text.slice(0, shownLength))),
        );
        response.on('error', () => undefined);
      });
      request.on('error', reject);
      request.end(body);
    });
  }

  #mayBePublic(host: string): boolean {
    if (isIP(host)) return isAllowedAddress(host, this.#deps);
    if (isLocalhost(host)) return this.#deps.allowLoopback;
    return host.includes('.');
  }
}

const refused = (path: string, code: string, message: string) =>
  new ParleyError('VALIDATION_ERROR', `${path}: ${message}`, { details: [{ path, code, message }] });
