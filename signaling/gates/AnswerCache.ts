import type { WireAccessResult } from '../../sdk/protocol/gates.ts';

/** From when it was asked, so that no yes is older than 30 s when it is used. */
const positiveMs = 30_000;
const negativeMs = 5_000;
const maxEntries = 10_000;

interface Entry {
  answer: Promise<WireAccessResult>;
  askedAt: number;
  /** 0 while it is being asked. */
  until: number;
}

/** What wallets were answered of late. Whoever asks the same at the same time gets the same answer; errors are not kept. */
export class AnswerCache {
  readonly #entries = new Map<string, Entry>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
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
