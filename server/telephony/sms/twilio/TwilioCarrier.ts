import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import type twilio from 'twilio';
import type { ScheduledJobs } from '../../../../platform/jobs/ScheduledJobs.ts';
import type { Database } from '../../../../platform/database/database.ts';
import type { Accepted, Carrier, CarrierEvents, Submission, SubmissionOutcome } from '../Carrier.ts';
import { CarrierError } from '../CarrierError.ts';
import { HandedOver } from '../handedOver/HandedOver.ts';
import { retried } from './retried.ts';
import { twilioCallbacks } from './twilioCallbacks.ts';
import { twilioClient, twilioListedMs } from './twilioClient.ts';
import { orTwilioError, twilioError } from './twilioError.ts';
import { TwilioMarket } from './TwilioMarket.ts';

interface TwilioDeps {
  db: Database;
  /** Must not have started yet, because a handler is registered here. */
  jobs: ScheduledJobs;
  log: Logger;
  accountSid: string;
  authToken: string;
  /** The base URL of the API, normally https://api.twilio.com. */
  apiBase: string;
  /** The base URL of this server, which Twilio calls. */
  publicUrl: string;
  /** How long the queue waits for send(). */
  submitMs: number;
  pool: readonly string[];
}

const maxListed = 200;
const checkedMs = 30_000;
/** How much earlier than its row in the database a message may seem to be. One that is missed would be sent again. */
const clocksDifferMs = 60_000;
/** The text that Twilio puts before each text from a trial account. */
const trialPrefix = 'Sent from your Twilio trial account - ';

/**
 * The driver for Twilio, which uses Twilio's official library. Twilio splits texts itself, so a text has only one reference, no matter how
 * many parts it has.
 */
export class TwilioCarrier implements Carrier {
  readonly name = 'twilio';
  readonly sendsMedia = true;
  readonly pool: readonly string[];
  readonly market: TwilioMarket;
  readonly callbacks: RequestHandler;
  readonly #client: twilio.Twilio;
  readonly #accountSid: string;
  readonly #callbackUrl: string;
  readonly #submitMs: number;
  readonly #handed: HandedOver;
  readonly #running = new Set<Promise<unknown>>();
  #events: CarrierEvents | null = null;
  #checkedAt = -Infinity;

  constructor({ db, jobs, log, accountSid, authToken, apiBase, publicUrl, submitMs, pool }: TwilioDeps) {
    this.pool = pool;
    this.#accountSid = accountSid;
    this.#submitMs = submitMs;
    this.#callbackUrl = `${publicUrl}/callbacks/${this.name}`;
    this.#client = twilioClient({ accountSid, authToken, apiBase, timeoutMs: submitMs * 0.8 });
    this.market = new TwilioMarket({ client: this.#client, callbackUrl: this.#callbackUrl });
    this.#handed = new HandedOver({ db, jobs, carrier: this.name });
    this.callbacks = twilioCallbacks({
      authToken,
      publicUrl,
      log: log.child({ carrier: this.name }),
      events: () => this.#events,
      onReference: (submissionId, sid) => this.#storeReference(submissionId, sid),
    });
  }

  async start(events: CarrierEvents): Promise<void> {
    this.#events = events;
    await this.#handed.start();
  }

  send(submission: Submission): Promise<Accepted> {
    const sending = this.#send(submission).finally(() => this.#running.delete(sending));
    this.#running.add(sending);
    return sending;
  }

  /** Twilio accepts no reference from the client, but it lists its messages, and its receipts return our id. */
  async getOutcome(submission: Submission): Promise<SubmissionOutcome> {
    const known = await this.#handed.outcomeOf(submission.id);
    if (known.outcome !== 'unknown') return known;
    const [handed] = await this.#handed.parts(submission.id);
    if (!handed) return { outcome: 'not_sent' };
    const candidates = await this.#unclaimed(submission, handed.at);
    if (candidates.length > 1) return { outcome: 'unknown' };
    const [sid] = candidates;
    if (sid !== undefined) {
      await this.#handed.accepted(submission.id, 0, sid);
      return { outcome: 'accepted', references: [sid] };
    }
    // By both clocks, because either may be ahead, or may just have been set forward.
    const ageMs = Math.min(-handed.untilAtMs, Date.now() - handed.at.getTime());
    if (ageMs < twilioListedMs)
      throw new Error('too early to ask for the outcome: Twilio may not list the message yet');
    await this.#handed.refused(submission.id, 0);
    return { outcome: 'not_sent' };
  }

  /** Asks Twilio at most every 30 seconds, because status pages are requested often. */
  async check(): Promise<void> {
    if (performance.now() - this.#checkedAt < checkedMs) return;
    await orTwilioError(this.#client.api.v2010.accounts(this.#accountSid).fetch());
    this.#checkedAt = performance.now();
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#running);
  }

  async #send(submission: Submission): Promise<Accepted> {
    const { id, from, to, text, mediaUrls } = submission;
    const deadline = Date.now() + this.#submitMs * 0.8;
    await this.#handed.begin(submission, { part: 0, total: 1, mark: 0 });
    try {
      if (Date.now() > deadline)
        throw new CarrierError('temporary', 'carrier_unavailable', 'The time for the submission was over.');
      const { sid } = await this.#client.messages.create({
        from,
        to,
        body: text,
        ...(mediaUrls.length > 0 ? { mediaUrl: mediaUrls } : {}),
        statusCallback: `${this.#callbackUrl}/status?submission=${id}${retried}`,
      });
      await this.#handed.accepted(id, 0, sid);
      return { references: [sid] };
    } catch (error) {
      const refusal = error instanceof CarrierError ? error : twilioError(error);
      if (refusal.kind !== 'unknown') await this.#handed.refused(id, 0);
      throw refusal;
    }
  }

  /**
   * Lists the messages at Twilio that may be this submission, because they have the same content, were created after it began, and are not
   * known to be another submission.
   */
  async #unclaimed({ from, to, text }: Submission, at: Date): Promise<string[]> {
    const listed = await orTwilioError(this.#client.messages.list({ from, to, limit: maxListed }));
    // Twilio's clock may differ from that of the database.
    const since = at.getTime() - clocksDifferMs;
    const fitting = listed.filter(
      ({ body, dateCreated }) =>
        (body === text || body === trialPrefix + text) && new Date(dateCreated).getTime() >= since,
    );
    const claimed = await this.#handed.withReference(fitting.map(({ sid }) => sid));
    return fitting.map(({ sid }) => sid).filter((sid) => !claimed.some(({ reference }) => reference === sid));
  }

  async #storeReference(submissionId: string, sid: string): Promise<void> {
    await this.#handed.accepted(submissionId, 0, sid);
  }
}
