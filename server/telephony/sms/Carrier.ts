import type { RequestHandler } from 'express';
import type { NumberMarket } from './NumberMarket.ts';

/**
 * Whoever carries texts to the telephone network: the port every driver fits (loopback, SMPP, Twilio). It knows nothing of
 * accounts, credits or threads. One contract test runs against all drivers: test/scenarios/carrierContract.ts.
 */
export interface Carrier {
  /** `loopback`, `smpp`, `twilio`: also what its references are kept under. */
  readonly name: string;
  /** For texts of accounts without a number of their own: SMS_POOL_NUMBERS, where set, else what the driver brings. */
  readonly pool: readonly string[];
  /** Whether it takes pictures along with a text. Where it doesn't, a text with `mediaUrls` is refused before it gets here. */
  readonly sendsMedia: boolean;
  /** Where numbers are bought; null where this carrier sells none. */
  readonly market: NumberMarket | null;
  /** For a carrier that calls us over HTTP: served at /callbacks/<name>, with the body unread. null for the others. */
  readonly callbacks: RequestHandler | null;

  /**
   * Connects, and from here on tells what happens. A carrier that is away is no error: it goes on connecting in the background,
   * and send() fails as `temporary` meanwhile. Called once.
   */
  start(events: CarrierEvents): Promise<void>;

  /**
   * Hands a text over, once. Resolves when the carrier has accepted it (not: delivered).
   * @throws CarrierError `temporary` and `permanent`: it was certainly not sent; `unknown`: nobody can say. Any other error counts
   *   as `unknown`, and it is never sent again by itself.
   */
  send(submission: Submission): Promise<Accepted>;

  /**
   * What became of a submission whose process died in the middle of send(), or whose send() took too long (SMS_SUBMIT_SECONDS) and
   * may still be running: asked with the same submission. `not_sent` means that it will never be sent by that call any more.
   * A driver that can't ask its provider answers `unknown`. A failure to ask throws, and is asked again later.
   */
  getOutcome(submission: Submission): Promise<SubmissionOutcome>;

  /** Fails while the carrier can't be reached: for /api/v1/status. */
  check(): Promise<void>;

  /** Waits for what is under way, then disconnects. Idempotent. */
  close(): Promise<void>;
}

export interface Submission {
  /** Ours (`msg_…`), the same in send() and getOutcome(). Hand it to the provider, where that takes a reference of the client. */
  id: string;
  from: string;
  to: string;
  text: string;
  encoding: 'GSM-7' | 'UCS-2';
  /** How many parts it has on the air (segments.ts); `partsOf(text)` gives them. */
  segments: number;
  mediaUrls: string[];
}

export interface Accepted {
  /** What receipts name: one per part, where the carrier counts parts, else one. Unique for this carrier. */
  references: string[];
}

export type SubmissionOutcome =
  | { outcome: 'accepted'; references: string[] }
  /** Certainly not: it may be sent now. */
  | { outcome: 'not_sent' }
  /** Nobody knows: it ends as failed with `unknown_outcome`. */
  | { outcome: 'unknown' };

/**
 * What a driver tells. Both resolve when the news is stored: only then may it be acknowledged to the provider. Both may be told
 * twice. When they throw, tell the provider that it should deliver again.
 */
export interface CarrierEvents {
  inbound(text: InboundText): Promise<void>;
  /** May come before send() has resolved. A receipt for nothing of ours is kept for a while, then forgotten. */
  receipt(receipt: Receipt): Promise<void>;
}

export interface InboundText {
  /** The carrier's id, by which a text that comes twice is known. A concatenated one is put together by the driver. */
  reference: string;
  from: string;
  to: string;
  text: string;
  mediaUrls: string[];
  receivedAt: Date;
}

export interface Receipt {
  /** One of the references of the submission. */
  reference: string;
  /** Our id of the submission, where the carrier gives it back. It settles what was unknown. */
  submissionId: string | null;
  /** `sent`: it is on its way to the recipient's network. The other two are final. */
  state: 'sent' | 'delivered' | 'failed';
  /** Our word where there is one (CarrierError.ts), else the carrier's code. */
  errorCode: string | null;
  errorMessage: string | null;
  at: Date;
}
