import jwt from 'jsonwebtoken';
import { z } from 'zod';
import type { Push, PushOutcome } from '../../signaling/notifications/PushSender.ts';
import { fetchNamed } from '../outgoing/fetchNamed.ts';
import type { ServiceAccount } from '../config/settingKinds.ts';
import { outcomeOf, outcomeOfError, sendTimeoutMs, type PushDriver, type TargetOf } from './PushDriver.ts';

interface FcmDeps {
  account: ServiceAccount;
  /** The base URL of FCM's API. */
  baseUrl: string;
}

interface AccessToken {
  value: string;
  expiresInMs: number;
}

const scope = 'https://www.googleapis.com/auth/firebase.messaging';
const grantType = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const lifetimeSeconds = 3_600;
const answerLimits = { timeoutMs: sendTimeoutMs, maxBytes: 100_000 };
/**
 * Longer than fetch() tries to connect, which is 10 s and then an error of its own. With a shorter limit, a push that was never written could
 * not be told from one whose answer is late, which is not sent again.
 */
const pushLimits = { ...answerLimits, timeoutMs: 12_000 };
const renewBeforeMs = 60_000;
/** The maximum time for which FCM keeps a push. */
const longestTtlSeconds = 28 * 24 * 60 * 60;

const tokenAnswer = z.object({ access_token: z.string().min(1), expires_in: z.number().positive() });
const failure = z.object({
  error: z.object({
    status: z.string().optional(),
    message: z.string().optional(),
    details: z.array(z.object({ errorCode: z.string().optional() })).optional(),
  }),
});

/** The driver for Android, with Firebase Cloud Messaging (HTTP v1). It sends data messages, so the app decides what to show. */
export class FcmDriver implements PushDriver<'fcm'> {
  readonly #deps: FcmDeps;
  #token: { value: Promise<AccessToken>; renewAt: number } | null = null;

  constructor(deps: FcmDeps) {
    this.#deps = deps;
  }

  async send({ token }: TargetOf<'fcm'>, push: Push): Promise<PushOutcome> {
    const authorization = await this.#authorization().catch((error: unknown) => outcomeOfError(error, false));
    if (typeof authorization !== 'string') return authorization;
    try {
      const { account, baseUrl } = this.#deps;
      const response = await fetchNamed(
        `${baseUrl}/v1/projects/${account.project_id}/messages:send`,
        {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization },
          body: JSON.stringify({ message: { token, ...contentOf(push) } }),
        },
        pushLimits,
      );
      return await this.#read(response);
    } catch (error) {
      return outcomeOfError(error, true);
    }
  }

  async #read(response: Response): Promise<PushOutcome> {
    const parsed = failure.safeParse(await response.json().catch(() => null));
    const { status, message = '', details } = parsed.data?.error ?? {};
    const code = details?.find(({ errorCode }) => errorCode)?.errorCode ?? status ?? '';
    // The second code means that the token belongs to an app of another project.
    if (code === 'UNREGISTERED' || code === 'SENDER_ID_MISMATCH') return { state: 'gone' };
    // FCM has no code for a token in a wrong form, such as one of another service. Only the message tells it from other invalid fields.
    if (code === 'INVALID_ARGUMENT' && /registration token/i.test(message)) return { state: 'gone' };
    if (response.status === 401) {
      this.#token = null;
      return { state: 'later', afterSeconds: null, why: `401 ${code}` };
    }
    // Here 404 means a missing project and not a missing device.
    if (response.status === 404) return { state: 'failed', why: `404 ${code}` };
    return outcomeOf(response.status, response.headers.get('retry-after'), code);
  }

  /** The value of the Authorization header. Concurrent calls share one request for a token. */
  async #authorization(): Promise<string> {
    if (!this.#token || this.#token.renewAt <= performance.now()) {
      const token = { value: this.#askForToken(), renewAt: Infinity };
      this.#token = token;
      token.value.then(
        ({ expiresInMs }) => (token.renewAt = performance.now() + expiresInMs - renewBeforeMs),
        () => (token.renewAt = 0),
      );
    }
    return `Bearer ${(await this.#token.value).value}`;
  }

  async #askForToken(): Promise<AccessToken> {
    const { account } = this.#deps;
    const assertion = jwt.sign({ scope }, account.private_key, {
      algorithm: 'RS256',
      issuer: account.client_email,
      audience: account.token_uri,
      expiresIn: lifetimeSeconds,
      ...(account.private_key_id ? { keyid: account.private_key_id } : {}),
    });
    const response = await fetchNamed(
      account.token_uri,
      {
        method: 'POST',
        body: new URLSearchParams({ grant_type: grantType, assertion }),
      },
      answerLimits,
    );
    if (!response.ok) throw Object.assign(new Error('no token'), { code: `token ${response.status}` });
    const answer = tokenAnswer.parse(await response.json());
    return { value: answer.access_token, expiresInMs: answer.expires_in * 1_000 };
  }
}

/**
 * The content of an FCM message. Its data may hold only strings, and the key `from` is reserved: FCM refuses the whole message. It has no
 * collapse key: of messages with one, FCM delivers 20 at once and then one in three minutes, and a call does not wait. Apps replace a
 * notification by its tag.
 */
function contentOf({ message: { from: sender, ...message }, urgent, expiresAt }: Push) {
  const ttlSeconds = Math.max(0, Math.ceil((expiresAt.getTime() - Date.now()) / 1_000));
  return {
    data: Object.fromEntries(
      Object.entries({ ...message, sender }).map(([key, value]) => [
        key,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]),
    ),
    android: {
      priority: urgent ? 'HIGH' : 'NORMAL',
      ttl: `${Math.min(ttlSeconds, longestTtlSeconds)}s`,
    },
  };
}
