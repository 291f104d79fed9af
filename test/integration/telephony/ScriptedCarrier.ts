import { appendFileSync } from 'node:fs';
import type {
  Accepted,
  Carrier,
  CarrierEvents,
  Submission,
  SubmissionOutcome,
} from '../../../server/telephony/sms/Carrier.ts';
import { CarrierError } from '../../../server/telephony/sms/CarrierError.ts';
import { ScriptedMarket } from './ScriptedMarket.ts';

/**
 * A carrier whose behaviour depends on the start of the text: `temporary`, `permanent`, `broken`, `hang`, `early` or `reused`, which gets the
 * reference `reused`. getOutcome() depends on whether the text contains `accepted` or `not_sent`; otherwise the outcome is unknown. The carrier appends a line to a file for every
 * submission; the file outlives the process.
 */
export class ScriptedCarrier implements Carrier {
  readonly name = 'scripted';
  readonly pool: readonly string[];
  readonly sendsMedia = false;
  readonly market = new ScriptedMarket();
  readonly callbacks = null;
  readonly #file: string;
  readonly #onSend: (text: string, to: string) => void;
  readonly #seen = new Set<string>();
  events: CarrierEvents | null = null;
  refusesCodes = false;
  /** A number that the carrier has taken back. */
  lost: string | null = null;

  constructor(
    file: string,
    pool: readonly string[] = ['+12025550190'],
    onSend: (text: string, to: string) => void = () => {},
  ) {
    this.#file = file;
    this.pool = pool;
    this.#onSend = onSend;
  }

  start(events: CarrierEvents): Promise<void> {
    this.events = events;
    return Promise.resolve();
  }

  hasNumber(phoneNumber: string): boolean {
    return phoneNumber !== this.lost;
  }

  async send({ id, text, to, segments }: Submission): Promise<Accepted> {
    appendFileSync(this.#file, `${id}\n`);
    this.#onSend(text, to);
    const isFirst = !this.#seen.has(id);
    this.#seen.add(id);
    const references = text.startsWith('reused')
      ? ['reused']
      : Array.from({ length: segments }, (_, index) => `${id}/${index}`);
    if (text.startsWith('hang')) return new Promise(() => {});
    if (text.startsWith('temporary') && isFirst)
      throw new CarrierError('temporary', 'carrier_unavailable', 'Busy.', { retryAfter: 0 });
    const isRefusedCode = this.refusesCodes && text.includes('verification code');
    if (text.startsWith('permanent') || isRefusedCode)
      throw new CarrierError('permanent', 'blocked', 'Filtered.');
    if (text.startsWith('broken')) throw new Error('a bug of the driver');
    if (text.startsWith('early'))
      for (const reference of references) await this.report(reference, 'delivered');
    return { references };
  }

  report(reference: string, state: 'sent' | 'delivered' | 'failed', submissionId: string | null = null) {
    const errorCode = state === 'failed' ? 'unreachable' : null;
    return this.events?.receipt({
      reference,
      submissionId,
      state,
      errorCode,
      errorMessage: null,
      at: new Date(),
    });
  }

  getOutcome({ id, text }: Submission): Promise<SubmissionOutcome> {
    if (text.includes('accepted')) return Promise.resolve({ outcome: 'accepted', references: [`${id}/0`] });
    return Promise.resolve({ outcome: text.includes('not_sent') ? 'not_sent' : 'unknown' });
  }

  check(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
