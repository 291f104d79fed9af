import type { PushMessage, PushTarget } from '../../sdk/protocol/notifications.ts';

/** One push to one device. */
export interface Push {
  message: PushMessage;
  /** Of waiting pushes with the same topic, a device gets the latest: base64url, at most 32 characters. */
  topic: string;
  /** Important enough to wake a device. */
  urgent: boolean;
  /** The push is useless after this time. */
  expiresAt: Date;
}

export type PushOutcome =
  | { state: 'sent' }
  /** The device no longer exists. */
  | { state: 'gone' }
  /** Not accepted yet. Try again, after this many seconds if known. */
  | { state: 'later'; afterSeconds: number | null; why: string }
  /** Refused permanently, or with unknown result. */
  | { state: 'failed'; why: string };

/** Sends pushes through the services of browsers and mobile systems. */
export interface PushSender {
  /** The key browsers subscribe with. Null without Web Push. */
  readonly publicKey: string | null;
  /** @throws ParleyError VALIDATION_ERROR for an unusable target, SERVICE_UNAVAILABLE for a service that is not configured */
  check(target: PushTarget): void;
  /** Makes one attempt. Never rejects. */
  send(target: PushTarget, push: Push): Promise<PushOutcome>;
}
