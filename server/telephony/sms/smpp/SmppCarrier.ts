import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import smpp, { type PDU } from 'smpp';
import type { ScheduledJobs } from '../../../../platform/jobs/ScheduledJobs.ts';
import type { Database } from '../../../../platform/database/database.ts';
import type { Accepted, Carrier, CarrierEvents, Submission, SubmissionOutcome } from '../Carrier.ts';
import { CarrierError } from '../CarrierError.ts';
import { HandedOver } from '../handedOver/HandedOver.ts';
import { StockMarket } from '../stock/StockMarket.ts';
import { assignedNumbers } from './assignedNumbers.ts';
import { readDelivery } from './delivery.ts';
import { InboundTexts } from './InboundTexts.ts';
import { away, SmppLink } from './SmppLink.ts';
import { NotWritten } from './SmppSession.ts';
import { SmppReceipts } from './SmppReceipts.ts';
import type { SmscAddress } from './smscAddress.ts';
import { isThrottled, submitError } from './submitError.ts';
import { submitFields } from './submitFields.ts';

interface SmppDeps {
  db: Database;
  /** Must not have started yet, because handlers are registered here. */
  jobs: ScheduledJobs;
  log: Logger;
  smsc: SmscAddress;
  /** One connection for both directions, or one for each. */
  bind: 'transceiver' | 'separate';
  window: number;
  enquireMs: number;
  /** How long connecting, binding or an answer to enquire_link may take. */
  answerMs?: number;
  /** Delay after a delivery until enquire_link checks that the SMSC has read the acknowledgement. */
  confirmMs?: number;
  /** How long the queue waits for send(). */
  submitMs: number;
  pool: readonly string[];
  /** The numbers assigned to this bind. Those that are not in the pool are sold to accounts. */
  numbers: readonly string[];
}

interface Part {
  submission: Submission;
  part: number;
  total: number;
  fields: Record<string, unknown>;
  deadline: number;
}

const partRetryMs = 500;
const ok = 0;
const tryAgain = smpp.errors.ESME_RX_T_APPN ?? 0x64;

/** The driver for any SMSC or aggregator that speaks SMPP 3.4. */
export class SmppCarrier implements Carrier {
  readonly name = 'smpp';
  readonly sendsMedia = false;
  readonly callbacks = null;
  readonly pool: readonly string[];
  /** Also without numbers for sale, so that those sold before can be released. */
  readonly market: StockMarket;
  readonly #submitMs: number;
  readonly #log: Logger;
  readonly #senders: ReadonlySet<string>;
  readonly #links: SmppLink[];
  readonly #handed: HandedOver;
  readonly #inbound: InboundTexts;
  readonly #receipts: SmppReceipts;
  readonly #sending = new Set<Promise<unknown>>();
  /** The references of texts and parts whose acknowledgements the SMSC may not have read yet. */
  readonly #references = new WeakMap<PDU, string>();
  #events: CarrierEvents | null = null;
  #concatenation = randomInt(256);

  constructor({ db, jobs, log, bind, submitMs, pool, numbers, ...given }: SmppDeps) {
    const link = { answerMs: 10_000, confirmMs: 1_000, ...given };
    this.pool = pool;
    this.#submitMs = submitMs;
    this.#log = log.child({ carrier: this.name });
    this.#senders = new Set([...pool, ...numbers]);
    const forSale = numbers.filter((number) => !pool.includes(number));
    this.market = new StockMarket({ db, carrier: this.name, stock: assignedNumbers(forSale) });
    this.#handed = new HandedOver({ db, jobs, carrier: this.name });
    this.#inbound = new InboundTexts({ db, jobs, log: this.#log });
    this.#receipts = new SmppReceipts({ handed: this.#handed, sending: this.#sending });
    const onDelivery = (pdu: PDU, connection: string) => this.#delivered(pdu, connection);
    const kinds = bind === 'separate' ? (['transmitter', 'receiver'] as const) : (['transceiver'] as const);
    const onConfirmed = (pdus: PDU[]) => this.#confirmed(pdus);
    this.#links = kinds.map(
      (kind) => new SmppLink({ ...link, kind, onDelivery, onConfirmed, log: this.#log }),
    );
  }

  async start(events: CarrierEvents): Promise<void> {
    this.#events = events;
    await this.#handed.start();
    await this.#inbound.start();
    for (const link of this.#links) link.start();
  }

  /** The operator may have removed a number from SMPP_NUMBERS because the aggregator has taken it back. */
  hasNumber(phoneNumber: string): boolean {
    return this.#senders.has(phoneNumber);
  }

  send(submission: Submission): Promise<Accepted> {
    const sending = this.#send(submission).finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
    return sending;
  }

  /**
   * Reads the outcome from the stored rows. They show which parts were never submitted and which were answered. query_sm could not be used,
   * because it needs the SMSC's id, which is not known without an answer.
   */
  getOutcome({ id }: Submission): Promise<SubmissionOutcome> {
    return this.#handed.outcomeOf(id);
  }

  check(): Promise<void> {
    const isBound = this.#links.every((link) => link.isBound);
    return isBound ? Promise.resolve() : Promise.reject(new Error('not bound to the SMSC'));
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#sending);
    await Promise.all(this.#links.map((link) => link.close()));
  }

  async #send(submission: Submission): Promise<Accepted> {
    if (!this.#senders.has(submission.from))
      throw new CarrierError(
        'permanent',
        'invalid_sender',
        'The carrier does not allow texts from this number.',
      );
    // The deadline is earlier than the queue's: once the queue considers a text unsent, no part of it may be written any more.
    const deadline = Date.now() + this.#submitMs * 0.8;
    this.#concatenation = (this.#concatenation + 1) % 256;
    const all = submitFields(submission, this.#concatenation);
    const references: string[] = [];
    for (const [part, fields] of all.entries())
      references.push(await this.#submitPart({ submission, part, total: all.length, fields, deadline }));
    return { references };
  }

  /** Submits a part. Once the first part is sent, the others must follow, so their temporary failures are retried. */
  async #submitPart(part: Part): Promise<string> {
    for (;;) {
      try {
        return await this.#submit(part);
      } catch (error) {
        if (part.part === 0 || !(error instanceof CarrierError)) throw error;
        if (error.kind !== 'temporary' || Date.now() + partRetryMs > part.deadline)
          throw new CarrierError(
            'unknown',
            'unknown_outcome',
            'The carrier accepted only some parts of the text.',
            {
              cause: error,
            },
          );
        await delay(partRetryMs);
      }
    }
  }

  async #submit({ submission, part, total, fields, deadline }: Part): Promise<string> {
    const [link] = this.#links;
    if (!link) throw new Error('there is no link');
    const accept = async (answer: PDU): Promise<string> => {
      // Without an id there will be no receipt, but an accepted part needs a reference anyway.
      const { message_id: id } = answer;
      const reference = typeof id === 'string' && id !== '' ? id : `${submission.id}.${part}`;
      await this.#handed.accepted(submission.id, part, reference);
      return reference;
    };
    const release = await link.slot(deadline);
    let answer: PDU;
    try {
      const mark = randomInt(0x10000);
      await this.#handed.begin(submission, { part, total, mark });
      answer = await link
        .ask('submit_sm', { ...fields, user_message_reference: mark }, deadline, (late) =>
          this.#answeredLate(late, accept),
        )
        .catch((error: unknown) => this.#unanswered(error, submission, part));
      // Before the slot is free, so that no other text takes it at once.
      if (isThrottled(answer.command_status)) link.slowDown();
      if (answer.command_status !== ok) await this.#handed.refused(submission.id, part);
    } finally {
      release();
    }
    if (answer.command_status === ok) return accept(answer);
    throw submitError(answer.command_status);
  }

  async #unanswered(error: unknown, { id }: Submission, part: number): Promise<never> {
    if (!(error instanceof NotWritten))
      throw new CarrierError('unknown', 'unknown_outcome', 'The carrier did not answer.', { cause: error });
    await this.#handed.refused(id, part);
    throw away(error);
  }

  /**
   * Stores the reference of a part that was answered too late. The outcome of the text is already stored as unknown, but with the
   * reference, a receipt can still settle it.
   */
  #answeredLate(answer: PDU, accept: (answer: PDU) => Promise<string>): void {
    if (answer.command_status === ok)
      accept(answer).catch((err: unknown) => this.#log.warn({ err }, 'storing a late answer failed'));
  }

  #confirmed(pdus: PDU[]): void {
    this.#inbound
      .confirm(pdus.flatMap((pdu) => this.#references.get(pdu) ?? []))
      .catch((err: unknown) => this.#log.warn({ err }, 'storing confirmed texts failed'));
  }

  async #delivered(pdu: PDU, connection: string): Promise<number> {
    const events = this.#events;
    const delivery = readDelivery(pdu, this.#senders);
    if (!events) return tryAgain;
    if (!delivery) {
      this.#log.warn({ command: pdu.command }, 'unreadable delivery from the SMSC dropped');
      return ok;
    }
    try {
      if (delivery.isReceipt) {
        const receipt = await this.#receipts.read(delivery);
        if (receipt) await events.receipt(receipt);
        else this.#log.warn('delivery receipt without a state or an id ignored');
      } else if (delivery.text === null) {
        this.#log.warn('inbound binary message dropped');
      } else {
        const text = { ...delivery, text: delivery.text };
        const reference = await this.#inbound.receive(text, connection, (whole) => events.inbound(whole));
        this.#references.set(pdu, reference);
      }
      return ok;
    } catch (err) {
      this.#log.error({ err }, 'storing a delivery failed; the SMSC is asked to deliver it again');
      return tryAgain;
    }
  }
}
