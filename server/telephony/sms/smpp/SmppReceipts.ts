import { setTimeout as delay } from 'node:timers/promises';
import type { Receipt } from '../Carrier.ts';
import type { HandedOver } from '../handedOver/HandedOver.ts';
import type { HandedPart } from '../handedOver/tables.ts';
import type { Delivery } from './delivery.ts';
import { notationsOf, readReceipt } from './receipts.ts';

/** A receipt may be quicker than the answer to its submit is stored. */
const patienceMs = 3_000;

interface ReceiptsDeps {
  handed: HandedOver;
  /** Texts being sent just now. */
  sending: ReadonlySet<Promise<unknown>>;
}

/** Finds whose receipt one is: its id may be written in another way than in the answer to the submit. */
export class SmppReceipts {
  readonly #handed: HandedOver;
  readonly #sending: ReadonlySet<Promise<unknown>>;

  constructor({ handed, sending }: ReceiptsDeps) {
    this.#handed = handed;
    this.#sending = sending;
  }

  /** @returns null where it says nothing */
  async read(delivery: Delivery): Promise<Receipt | null> {
    const read = readReceipt(delivery);
    if (!read) return null;
    const { id, mark, ...outcome } = read;
    const recipient = delivery.from;
    // As they are now: what is answered while its id is looked for is not found either.
    const sending = [...this.#sending];
    const part =
      (await this.#withId(id, recipient)) ?? (await this.#afterAnswers(sending, id, mark, recipient));
    const reference = part?.reference ?? id;
    if (reference === null) return null;
    const submissionId = part ? await this.#settles(part) : null;
    return { ...outcome, reference, submissionId, at: new Date() };
  }

  async #withId(id: string | null, recipient: string): Promise<HandedPart | null> {
    if (id === null) return null;
    const found = await this.#handed.withReference(notationsOf(id));
    const rank = (part: HandedPart) =>
      (part.reference === id ? 2 : 0) + (part.recipient === recipient ? 1 : 0);
    const [best] = found.sort((one, other) => rank(other) - rank(one));
    // In another notation it is another text's as easily, so the recipient has to agree.
    return best && rank(best) > 0 ? best : null;
  }

  async #afterAnswers(
    sending: readonly Promise<unknown>[],
    id: string | null,
    mark: number | null,
    recipient: string,
  ): Promise<HandedPart | null> {
    if (sending.length > 0) {
      const late = new AbortController();
      const patience = delay(patienceMs, undefined, { signal: late.signal, ref: false });
      await Promise.race([Promise.allSettled(sending), patience.catch(() => undefined)]);
      late.abort();
      const answered = await this.#withId(id, recipient);
      if (answered) return answered;
    }
    const part = mark === null ? null : await this.#handed.waiting(recipient, mark);
    if (!part) return null;
    // Its process died before the answer came; the receipt brings the reference too.
    const reference = id ?? `${part.submissionId}.${part.part}`;
    await this.#handed.accepted(part.submissionId, part.part, reference);
    return { ...part, reference };
  }

  /** Our id, where every part is known to be accepted: one part's receipt says nothing of another that is missing. */
  async #settles({ submissionId }: HandedPart): Promise<string | null> {
    const { outcome } = await this.#handed.outcomeOf(submissionId);
    return outcome === 'accepted' ? submissionId : null;
  }
}
