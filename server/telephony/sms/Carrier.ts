import type { RequestHandler } from 'express';
import type { NumberMarket } from './NumberMarket.ts';
import type { Keyword } from './optOuts.ts';

/**
 * The port that every carrier driver implements (loopback, SMPP, Twilio). A driver knows nothing about accounts, credits or threads.
 * One contract test runs against all drivers: test/scenarios/carrierContract.ts.
 */
export interface Carrier {
  /** `loopback`, `smpp` or `twilio`. References are stored under this name. */
  readonly name: string;
  /** The numbers for texts that are not sent from a number of an account: SMS_POOL_NUMBERS if set, otherwise those of the driver. */
  readonly pool: readonly string[];
  /** Whether texts may have images. If not, a text with `mediaUrls` is refused before it reaches the driver. */
  readonly sendsMedia: boolean;
  /** The part that sells numbers; null if this carrier sells none. */
  readonly market: NumberMarket | null;
  /** Handles HTTP callbacks of the carrier at /callbacks/<name>. The body has not been read yet. null if the carrier makes no callbacks. */
  readonly callbacks: RequestHandler | null;

  /**
   * Whether this server may still send from a number that an account has bought. Left out by a carrier whose numbers stay until they are
   * released.
   */
  hasNumber?(phoneNumber: string): boolean;

  /**
   * Connects and starts to report events. If the carrier is unavailable, this does not fail: the driver keeps trying to connect in the
   * background, and until then send() fails with `temporary`. Called once.
   */
  start(events: CarrierEvents): Promise<void>;

  /**
   * Submits a text once. Resolves when the carrier has accepted the text, which does not mean that it was delivered.
   * @throws CarrierError `temporary` or `permanent` if the text was certainly not sent, `unknown` if it may have been sent. Any other error
   *   is treated as `unknown`. A text with an unknown outcome is never sent again.
   */
  send(submission: Submission): Promise<Accepted>;

  /**
   * Returns the outcome of a submission whose process died during send(), or whose send() took longer than SMS_SUBMIT_SECONDS and may still
   * be running. The submission is the same one that send() got. `not_sent` means that the earlier call will never send it. A driver that
   * cannot ask its provider answers `unknown`. If asking fails, this method throws and is called again later.
   */
  getOutcome(submission: Submission): Promise<SubmissionOutcome>;

  /** Rejects while the carrier cannot be reached. Used by /api/v1/status. */
  check(): Promise<void>;

  /** Waits for running work, then disconnects. Idempotent. */
  close(): Promise<void>;
}

export interface Submission {
  /**
   * Our id (`msg_…`), which is the same in send() and getOutcome(). Drivers pass it on to providers that accept a reference from the
   * client.
   */
  id: string;
  from: string;
  to: string;
  text: string;
  encoding: 'GSM-7' | 'UCS-2';
  /** The number of parts in which the text is transmitted. `partsOf(text)` (segments.ts) returns the parts. */
  segments: number;
  mediaUrls: string[];
}

export interface Accepted {
  /**
   * The ids that receipts use: one per part if the carrier reports on each part, otherwise one for the text. They are unique for this
   * carrier.
   */
  references: string[];
}

export type SubmissionOutcome =
  | { outcome: 'accepted'; references: string[] }
  /** The text was certainly not sent, so it may be sent now. */
  | { outcome: 'not_sent' }
  /** The outcome cannot be determined, so the text ends as failed with `unknown_outcome`. */
  | { outcome: 'unknown' };

/**
 * The events that a driver reports. Both methods resolve when the event is stored. Only then should the driver acknowledge the event to the
 * provider. An event may be reported twice. If a method throws, the driver asks the provider to deliver the event again.
 */
export interface CarrierEvents {
  inbound(text: InboundText): Promise<void>;
  /** May be called before send() has resolved. A receipt for an unknown submission is kept for a day, then deleted. */
  receipt(receipt: Receipt): Promise<void>;
}

export interface InboundText {
  /** The carrier's id, by which a text that is delivered twice is recognised. Drivers join the parts of a concatenated text. */
  reference: string;
  from: string;
  to: string;
  text: string;
  mediaUrls: string[];
  receivedAt: Date;
  /** The keyword for which the carrier took the text and which it has answered itself, in words that it knows. Default: none. */
  answeredKeyword?: Keyword | undefined;
}

export interface Receipt {
  /** One of the references of the submission. */
  reference: string;
  /** Our id of the submission, if the carrier returns it. With it, the receipt settles an unknown outcome. */
  submissionId: string | null;
  /** `sent`: on the way to the recipient's network. The other two are final. */
  state: 'sent' | 'delivered' | 'failed';
  /** A code of CarrierError.ts if one fits, otherwise the carrier's code. */
  errorCode: string | null;
  errorMessage: string | null;
  at: Date;
}
