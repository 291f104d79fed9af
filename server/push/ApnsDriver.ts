import * as http2 from 'node:http2';
import jwt from 'jsonwebtoken';
import type { PushMessage } from '../../sdk/protocol/notifications.ts';
import type { Push, PushOutcome } from '../../signaling/notifications/PushSender.ts';
import {
  outcomeOf,
  outcomeOfError,
  refusedStream,
  sendTimeoutMs,
  type PushDriver,
  type TargetOf,
} from './PushDriver.ts';

interface ApnsDeps {
  /** The content of the .p8 file. */
  key: string;
  keyId: string;
  teamId: string;
  /** The app's bundle id. */
  topic: string;
  /** The URL of APNs, either of production or, for development builds, of the sandbox. */
  baseUrl: string;
  /** How long the connection is used without an answer before it is tried with a PING. @default 30_000 */
  quietMs?: number;
}

/** How long a token is used. APNs accepts a new token at most every 20 minutes, and refuses tokens older than an hour. */
const tokenMs = 40 * 60_000;
const idleMs = 10 * 60_000;
/** The time limit for the answer to a PING. It adds to that of the push. */
const pingMs = 2_000;
/** Refusals after which a device token is useless, because it is not valid for this app in this environment. */
const goneReasons = ['BadDeviceToken', 'DeviceTokenNotForTopic', 'Unregistered'];

/**
 * The driver for Apple's push service. It uses one HTTP/2 connection for all pushes, and authenticates with signed tokens.
 *
 * Firewalls forget idle connections without telling either end, and a push that was written is never repeated. So a connection without
 * recent answers is tried with a PING first.
 */
export class ApnsDriver implements PushDriver<'apns'> {
  readonly #deps: ApnsDeps;
  #session: http2.ClientHttp2Session | null = null;
  /** When the session was begun or last answered, by performance.now(). */
  #answeredAt = 0;
  /** Whether the session answers the PING that is under way. */
  #ping: Promise<boolean> | null = null;
  #token: { value: string; madeAt: number } | null = null;

  constructor(deps: ApnsDeps) {
    this.#deps = deps;
  }

  async send(target: TargetOf<'apns'>, push: Push): Promise<PushOutcome> {
    let reached = false;
    try {
      const session = await this.#working();
      if (session.connecting) session.once('connect', () => (reached = true));
      else reached = true;
      const { status, text } = await this.#post(session, target, push);
      const reason = reasonIn(text);
      if (goneReasons.includes(reason)) return { state: 'gone' };
      if (reason === 'ExpiredProviderToken') {
        this.#token = null;
        return { state: 'later', afterSeconds: null, why: reason };
      }
      return outcomeOf(status, null, reason);
    } catch (error) {
      return outcomeOfError(error, reached);
    }
  }

  close(): void {
    this.#session?.destroy();
  }

  #post(
    session: http2.ClientHttp2Session,
    { token, mode }: TargetOf<'apns'>,
    { message, topic, urgent, expiresAt }: Push,
  ): Promise<{ status: number; text: string }> {
    const startedAt = performance.now();
    const signal = AbortSignal.timeout(sendTimeoutMs);
    const stream = session.request(
      {
        ':method': 'POST',
        ':path': `/3/device/${token.toLowerCase()}`,
        authorization: `bearer ${this.#bearer()}`,
        'apns-push-type': mode,
        'apns-topic': mode === 'voip' ? `${this.#deps.topic}.voip` : this.#deps.topic,
        'apns-priority': urgent ? '10' : '5',
        'apns-expiration': String(Math.floor(expiresAt.getTime() / 1_000)),
        'apns-collapse-id': topic,
        'content-type': 'application/json',
      },
      { signal },
    );
    // A connection without any answer in all this time is dead. One that answers others is kept.
    signal.addEventListener('abort', () => {
      if (this.#answeredAt <= startedAt) session.destroy();
    });
    return new Promise((resolve, reject) => {
      let status = 0;
      let text = '';
      stream.setEncoding('utf8');
      stream.on('response', (headers) => {
        status = Number(headers[':status']);
        this.#answeredAt = performance.now();
      });
      stream.on('data', (chunk: string) => (text += chunk));
      stream.on('error', (error: Error) => {
        const isRefused = stream.rstCode === http2.constants.NGHTTP2_REFUSED_STREAM;
        reject(isRefused ? Object.assign(error, { code: refusedStream }) : error);
      });
      // A session that is destroyed closes its streams without an error.
      stream.on('close', () =>
        status > 0
          ? resolve({ status, text })
          : reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' })),
      );
      stream.end(JSON.stringify(payloadOf(message, mode)));
    });
  }

  /** A session that has answered recently or answers a PING, or a new one. */
  async #working(): Promise<http2.ClientHttp2Session> {
    const current = this.#session;
    const { quietMs = 30_000 } = this.#deps;
    if (current && !current.connecting && performance.now() - this.#answeredAt > quietMs) {
      this.#ping ??= answersPing(current).finally(() => (this.#ping = null));
      if (await this.#ping) this.#answeredAt = performance.now();
      else current.destroy();
    }
    return this.#connect();
  }

  #connect(): http2.ClientHttp2Session {
    const current = this.#session;
    if (current && !current.closed && !current.destroyed) return current;
    this.#answeredAt = performance.now();
    const session = http2.connect(this.#deps.baseUrl);
    const drop = () => {
      if (this.#session === session) this.#session = null;
    };
    // The open streams report the error.
    session.on('error', drop);
    session.on('goaway', drop);
    session.on('close', drop);
    session.setTimeout(idleMs, () => session.close());
    // The connection does not keep the process alive.
    session.unref();
    return (this.#session = session);
  }

  #bearer(): string {
    // If the clock was set back, the token was made in its future, and APNs may refuse it.
    if (this.#token && Math.abs(Date.now() - this.#token.madeAt) < tokenMs) return this.#token.value;
    const { key, keyId, teamId } = this.#deps;
    const value = jwt.sign({}, key, { algorithm: 'ES256', keyid: keyId, issuer: teamId });
    this.#token = { value, madeAt: Date.now() };
    return value;
  }
}

/** Whether the session answers a PING in time. */
function answersPing(session: http2.ClientHttp2Session): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), pingMs);
    const answer = (isAlive: boolean) => {
      clearTimeout(timer);
      resolve(isAlive);
    };
    if (session.closed || session.destroyed || !session.ping((error) => answer(!error))) answer(false);
  });
}

function reasonIn(text: string): string {
  try {
    const { reason } = JSON.parse(text) as { reason?: unknown };
    return typeof reason === 'string' ? reason : '';
  } catch {
    return '';
  }
}

const titles: Record<PushMessage['kind'], string> = {
  call: 'Incoming call',
  message: 'New message',
  voicemail: 'New voicemail',
  conferenceInvite: 'Invitation to a conference',
  group: 'Invitation to a group',
};

/**
 * A PushKit push wakes the app, which shows the call. An alert is shown by the system, and the app may change it first (mutable-content).
 */
function payloadOf(message: PushMessage, mode: 'voip' | 'alert'): object {
  if (mode === 'voip') return { aps: {}, parley: message };
  const { outcome, kind, from, fromName, group } = message;
  const body = group ? `${fromName ?? from} · ${group.name}` : (fromName ?? from);
  const title = outcome === 'missed' ? 'Missed call' : outcome ? 'The call is over' : titles[kind];
  const thread = { 'thread-id': `${kind} ${group?.id ?? from}`, 'mutable-content': 1 };
  return {
    aps: { alert: { title, body }, ...(outcome ? {} : { sound: 'default' }), ...thread },
    parley: message,
  };
}
