import type { WireAccessResult } from '../../sdk/protocol/gates.ts';

/** How long a positive answer is used. Counted from the start of the check, so that no answer is older than 30 s when it is used. */
const positiveMs = 30_000;
const negativeMs = 5_000;
const maxEntries = 10_000;

interface Entry {
  answer: Promise<WireAccessResult>;
  askedAt: number;
  /** When the answer expires; 0 while the check is under way. */
  until: number;
}

/** Caches recent answers of gates. Simultaneous checks of the same wallet share one answer. Errors are not kept. */
export class AnswerCache {
  readonly #entries = new Map<string, Entry>();
  readonly #now: () => number;

  /** @param now by default, not the clock of the machine: when it is set back, answers would be used for longer */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  clear(): void {
    this.#entries.clear();
  }

  get(key: string, isFresh: boolean, ask: () => Promise<WireAccessResult>): Promise<WireAccessResult> {
    const known = this.#entries.get(key);
    if (known && !isFresh && (known.until === 0 || known.until > this.#now())) return known.answer;
    const askedAt = this.#now();
    const entry: Entry = { answer: ask(), askedAt, until: 0 };
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > maxEntries && oldest !== undefined) this.#entries.delete(oldest);
    entry.answer.then(
      ({ allowed }) => {
        entry.until = entry.askedAt + (allowed ? positiveMs : negativeMs);
      },
      () => {
        if (this.#entries.get(key) === entry) this.#entries.delete(key);
      },
    );
    return entry.answer;
  }
}
