import { setTimeout as delay } from 'node:timers/promises';
import type { Receipt } from '../Carrier.ts';
import type { HandedOver } from '../handedOver/HandedOver.ts';
import type { HandedPart } from '../handedOver/tables.ts';
import type { Delivery } from './delivery.ts';
import { notationsOf, readReceipt } from './receipts.ts';

/** How long to wait for the answers to running submits. A receipt may arrive before the answer to its submit is stored. */
const patienceMs = 3_000;

interface ReceiptsDeps {
  handed: HandedOver;
  /** Submissions that are running now. */
  sending: ReadonlySet<Promise<unknown>>;
}

/** Finds the text that a receipt is about. The receipt may write the id in another notation than the answer to the submit did. */
export class SmppReceipts {
  readonly #deps: ReceiptsDeps;

  constructor(deps: ReceiptsDeps) {
    this.#deps = deps;
  }

  /** @returns null if the delivery cannot be read as a receipt */
  async read(delivery: Delivery): Promise<Receipt | null> {
    const read = readReceipt(delivery);
    if (!read) return null;
    const { id, mark, ...outcome } = read;
    const recipient = delivery.from;
    // A copy of the running submissions. One that ends during the search by id would otherwise be found neither by the search nor among the
    // running ones.
    const sending = [...this.#deps.sending];
    const part =
      (await this.#withId(id, recipient)) ?? (await this.#afterAnswers(sending, id, mark, recipient));
    const reference = part?.reference ?? id;
    if (reference === null) return null;
    const submissionId = part ? await this.#settles(part) : null;
    return { ...outcome, reference, submissionId, at: new Date() };
  }

  async #withId(id: string | null, recipient: string): Promise<HandedPart | null> {
    if (id === null) return null;
    const found = await this.#deps.handed.withReference(notationsOf(id));
    const rank = (part: HandedPart) =>
      (part.reference === id ? 2 : 0) + (part.recipient === recipient ? 1 : 0);
    const [best] = found.sort((one, other) => rank(other) - rank(one));
    // In another notation, the id may belong to another text, so the recipient has to match.
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
    const part = mark === null ? null : await this.#deps.handed.waiting(recipient, mark);
    if (!part) return null;
    // The process that submitted the part died before the answer arrived. The receipt provides the reference.
    const reference = id ?? `${part.submissionId}.${part.part}`;
    await this.#deps.handed.accepted(part.submissionId, part.part, reference);
    return { ...part, reference };
  }

  /**
   * Our id of the submission, if all its parts are known to be accepted; otherwise null, because the receipt of one part says nothing about
   * a missing part.
   */
  async #settles({ submissionId }: HandedPart): Promise<string | null> {
    const { outcome } = await this.#deps.handed.outcomeOf(submissionId);
    return outcome === 'accepted' ? submissionId : null;
  }
}
