import type { RequestHandler } from 'express';
import type { NumberMarket } from './NumberMarket.ts';

/**
 * The port that every carrier driver implements (loopback, SMPP, Twilio). A driver knows nothing about accounts, credits or threads.
 * One contract test runs against all drivers: test/scenarios/carrierContract.ts.
 */
export interface Carrier {
  /** `loopback`, `smpp` or `twilio`. References are stored under this name. */
  readonly name: string;
  /** The numbers for texts of accounts without a number: SMS_POOL_NUMBERS if set, otherwise those of the driver. */
  readonly pool: readonly string[];
  /** Whether texts may have images. If not, a text with `mediaUrls` is refused before it gets here. */
  readonly sendsMedia: boolean;
  /** Sells numbers; null if this carrier sells none. */
  readonly market: NumberMarket | null;
  /** Handles HTTP callbacks of the carrier at /callbacks/<name>, with the body unread. null if the carrier makes none. */
  readonly callbacks: RequestHandler | null;

  /**
   * Connects and starts to report events. If the carrier is away, this does not fail: the driver keeps connecting in the background,
   * and until then send() fails as `temporary`. Called once.
   */
  start(events: CarrierEvents): Promise<void>;

  /**
   * Submits a text once. Resolves when the carrier has accepted it, which does not mean delivered.
   * @throws CarrierError `temporary` and `permanent`: certainly not sent; `unknown`: it may have been sent. Any other error counts as
   *   `unknown`. A text with an unknown outcome is never sent again.
   */
  send(submission: Submission): Promise<Accepted>;

  /**
   * Returns the outcome of a submission whose process died during send(), or whose send() took longer than SMS_SUBMIT_SECONDS and may
   * still be running. It gets the same submission. `not_sent` means that the earlier call will never send it. A driver that cannot ask
   * its provider answers `unknown`. If asking fails, this throws, and is called again later.
   */
  getOutcome(submission: Submission): Promise<SubmissionOutcome>;

  /** Fails while the carrier cannot be reached. Used by /api/v1/status. */
  check(): Promise<void>;

  /** Waits for running work, then disconnects. Idempotent. */
  close(): Promise<void>;
}

export interface Submission {
  /** Our id (`msg_…`), the same in send() and getOutcome(). Drivers pass it to providers that accept a client reference. */
  id: string;
  from: string;
  to: string;
  text: string;
  encoding: 'GSM-7' | 'UCS-2';
  /** The number of parts on the air; `partsOf(text)` returns them (segments.ts). */
  segments: number;
  mediaUrls: string[];
}

export interface Accepted {
  /** The ids that receipts use: one per part if the carrier counts parts, otherwise one. Unique for this carrier. */
  references: string[];
}

export type SubmissionOutcome =
  | { outcome: 'accepted'; references: string[] }
  /** Certainly not sent: it may be sent now. */
  | { outcome: 'not_sent' }
  /** Cannot be determined: the text ends as failed with `unknown_outcome`. */
  | { outcome: 'unknown' };

/**
 * The events a driver reports. Both methods resolve when the event is stored; acknowledge to the provider only then. An event may be
 * reported twice. If a method throws, ask the provider to deliver again.
 */
export interface CarrierEvents {
  inbound(text: InboundText): Promise<void>;
  /** May be called before send() has resolved. A receipt for an unknown submission is kept for a day, then deleted. */
  receipt(receipt: Receipt): Promise<void>;
}

export interface InboundText {
  /** The carrier's id. It identifies a text that is delivered twice. Drivers join concatenated texts. */
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
  /** Our id of the submission, if the carrier returns it. It settles an unknown outcome. */
  submissionId: string | null;
  /** `sent`: on the way to the recipient's network. The other two are final. */
  state: 'sent' | 'delivered' | 'failed';
  /** A code of CarrierError.ts if one fits, otherwise the carrier's code. */
  errorCode: string | null;
  errorMessage: string | null;
  at: Date;
}
