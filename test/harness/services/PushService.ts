import { createPublicKey, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import jwt from 'jsonwebtoken';
import type { PushMessage } from '../../../sdk/protocol/notifications.ts';
import { certificateFor } from '../../../server/http/certificate.ts';
import { PushKeys } from './decryptPush.ts';
import { until } from '../until.ts';

export interface ReceivedPush {
  at: number;
  /** Decrypted. */
  message: PushMessage;
  ttlSeconds: number;
  urgency: string;
  topic: string;
  /** The sender's VAPID subject. */
  subject: string;
  status: number;
}

interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: string;
  /** A promise to wait for before answering. */
  after?: Promise<unknown>;
}

/**
 * A fake of the push services that Google, Mozilla and Apple run for browsers: it accepts messages signed by a subscription's server
 * (RFC 8292) and encrypted for its browser (RFC 8291). It answers any other message with 400 and adds the reason to `problems`.
 */
export class PushService {
  readonly #server: Server;
  readonly #folder: string;
  readonly #subscriptions = new Map<string, BrowserSubscription>();
  readonly problems: string[] = [];

  static async start(): Promise<PushService> {
    const folder = await mkdtemp(join(tmpdir(), 'parley-push-'));
    const certificate = await certificateFor(folder, null);
    const service = new PushService(createServer(certificate), folder);
    await new Promise<void>((resolve) => service.#server.listen(0, '127.0.0.1', resolve));
    return service;
  }

  private constructor(server: Server, folder: string) {
    this.#server = server;
    this.#folder = folder;
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const answer = this.#receive(request.url ?? '', request.headers, Buffer.concat(chunks));
        void (answer.after ?? Promise.resolve()).then(() =>
          response.writeHead(answer.status, answer.headers).end(answer.body),
        );
      });
    });
  }

  /** The settings with which a Parley server can send push notifications to this service. */
  get settings(): Record<string, string> {
    return { PUSH_ALLOW_LOOPBACK: 'true', NODE_EXTRA_CA_CERTS: this.certificatePath };
  }

  get certificatePath(): string {
    return join(this.#folder, 'certificate.pem');
  }

  get certificate(): Promise<string> {
    return readFile(this.certificatePath, 'utf8');
  }

  get origin(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The result of a browser's pushManager.subscribe(). @param serverKey the only key that may sign messages */
  subscribe(serverKey: string): BrowserSubscription {
    const path = `/push/${randomBytes(16).toString('base64url')}`;
    const subscription = new BrowserSubscription(this.origin + path, serverKey);
    this.#subscriptions.set(path, subscription);
    return subscription;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    await rm(this.#folder, { recursive: true, force: true });
  }

  #receive(path: string, headers: IncomingHttpHeaders, body: Buffer): Answer {
    const subscription = this.#subscriptions.get(path);
    if (!subscription) return { status: 404 };
    try {
      const subject = senderOf(headers.authorization ?? '', this.origin, subscription.serverKey);
      if (headers['content-encoding'] !== 'aes128gcm') throw new Error('not aes128gcm');
      const ttlSeconds = Number(headers.ttl);
      if (!Number.isInteger(ttlSeconds) || ttlSeconds < 0) throw new Error('no TTL');
      if (body.length > 4_096) throw new Error('too large');
      const { urgency, topic } = headers as Record<string, string>;
      const answer = subscription.answers.shift() ?? { status: 201 };
      const message = JSON.parse(subscription.keys.decrypt(body)) as PushMessage;
      subscription.requests.push({
        at: Date.now(),
        message,
        ttlSeconds,
        subject,
        status: answer.status,
        urgency: urgency ?? '',
        topic: topic ?? '',
      });
      return answer;
    } catch (error) {
      this.problems.push(String(error));
      return { status: 400 };
    }
  }
}

/** A browser's subscription at the push service. */
export class BrowserSubscription {
  readonly endpoint: string;
  readonly serverKey: string;
  readonly keys = new PushKeys(randomBytes(16));
  /** All messages so far, including those answered with an error from `answers`. */
  readonly requests: ReceivedPush[] = [];
  /** Answers for the next messages, in order. Further messages are answered with 201. */
  readonly answers: Answer[] = [];

  constructor(endpoint: string, serverKey: string) {
    this.endpoint = endpoint;
    this.serverKey = serverKey;
  }

  /** The target for `notifications.register`. */
  get target() {
    const { p256dh, auth } = this.keys;
    return { service: 'web', endpoint: this.endpoint, p256dh, auth } as const;
  }

  /** The messages that the push service accepted for the browser. */
  get pushes(): ReceivedPush[] {
    return this.requests.filter(({ status }) => status === 201);
  }

  /** Waits for the first accepted push that matches. Pushes that have already arrived count. */
  push(fits: (message: PushMessage) => boolean = () => true, limitMs = 45_000): Promise<ReceivedPush> {
    return until(() => this.pushes.find(({ message }) => fits(message)), 'a push', limitMs);
  }
}

/** Verifies `vapid t=<JWT>, k=<public key>`. @returns sub */
function senderOf(authorization: string, origin: string, serverKey: string): string {
  const [, token = '', key = ''] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(authorization) ?? [];
  if (key !== serverKey) throw new Error(`signed with the key ${key}`);
  const point = Buffer.from(key, 'base64url');
  const coordinate = (from: number) => point.subarray(from, from + 32).toString('base64url');
  const jwk = { kty: 'EC', crv: 'P-256', x: coordinate(1), y: coordinate(33) };
  const publicKey = createPublicKey({ key: jwk, format: 'jwk' });
  const claims = jwt.verify(token, publicKey, { algorithms: ['ES256'], audience: origin }) as jwt.JwtPayload;
  const inSeconds = (claims.exp ?? Infinity) - Date.now() / 1_000;
  if (inSeconds > 24 * 60 * 60) throw new Error('the token is valid for more than a day');
  if (!/^(mailto:|https:)/.test(claims.sub ?? '')) throw new Error('no subject');
  return claims.sub ?? '';
}
