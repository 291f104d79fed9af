import type { PushMessage, PushTarget } from '../../sdk/protocol/notifications.ts';

/** One push to one device. */
export interface Push {
  message: PushMessage;
  /** At most 32 characters of base64url. If several pushes with the same topic are waiting for a device, it gets only the latest. */
  topic: string;
  /** Whether the push is important enough to wake a device. */
  urgent: boolean;
  /** The push is useless after this time. */
  expiresAt: Date;
}

export type PushOutcome =
  | { state: 'sent' }
  /** The device no longer exists, or can never be reached again until it registers once more. */
  | { state: 'gone' }
  /** Not accepted yet. Try again, after this many seconds if known. */
  | { state: 'later'; afterSeconds: number | null; why: string }
  /** Refused permanently, or the result is unknown: then the push may have arrived, and is not sent again. */
  | { state: 'failed'; why: string; mayHaveArrived?: true };

/** Sends pushes through the services of browsers and mobile systems. */
export interface PushSender {
  /** The key that browsers subscribe with. Null if Web Push is not configured. */
  readonly publicKey: string | null;
  /** @throws ParleyError VALIDATION_ERROR for an unusable target, SERVICE_UNAVAILABLE for a service that is not configured */
  check(target: PushTarget): void;
  /** Makes one attempt. Never rejects. */
  send(target: PushTarget, push: Push): Promise<PushOutcome>;
}
