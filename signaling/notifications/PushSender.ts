import type { PushMessage, PushTarget } from '../../sdk/protocol/notifications.ts';

/** What goes to one device. */
export interface Push {
  message: PushMessage;
  /** Of two pushes with the same, which wait for a device that is away, it gets the later: 32 characters at most, of base64url. */
  topic: string;
  /** Worth waking a device for. */
  urgent: boolean;
  /** Afterwards it is of no use. */
  expiresAt: Date;
}

export type PushOutcome =
  | { state: 'sent' }
  /** There is no such device any more. */
  | { state: 'gone' }
  /** Not taken; it may be, after so many seconds, where they are known. */
  | { state: 'later'; afterSeconds: number | null; why: string }
  /** Refused for good, or nobody knows what became of it. */
  | { state: 'failed'; why: string };

/** Takes pushes to devices: the services of browsers and of phones. */
export interface PushSender {
  /** The key browsers subscribe with; null where no Web Push is sent. */
  readonly publicKey: string | null;
  /** @throws ParleyError VALIDATION_ERROR for a target nothing can be sent to, SERVICE_UNAVAILABLE for a service that is not used here */
  check(target: PushTarget): void;
  /** Tries once. Never rejects. */
  send(target: PushTarget, push: Push): Promise<PushOutcome>;
}
