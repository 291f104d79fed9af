import type { Address } from '../../protocol/address.ts';
import { maxPeople } from '../../protocol/limits.ts';
import type { WirePerson } from '../../protocol/people.ts';

interface Entry {
  answer: Promise<WirePerson>;
  /** The answer, once it has arrived. */
  person: WirePerson | null;
  until: number;
}

interface Waiting {
  address: Address;
  resolve: (person: WirePerson) => void;
  reject: (error: unknown) => void;
}

/** The addresses of images are valid for about an hour. */
const keptMs = 5 * 60_000;
const maxEntries = 1_000;
/** How long a wallet without a name is not read again for another contact: most never set one, and each message is a contact. */
const contactMs = 60_000;

/** Persons that were read recently. What is asked for within one task is read with one request. */
export class PersonCache {
  readonly #read: (addresses: Address[]) => Promise<WirePerson[]>;
  readonly #entries = new Map<Address, Entry>();
  /** When wallets without a name last made contact, as far as they were read again for it. */
  readonly #contacts = new Map<Address, number>();
  #waiting: Waiting[] = [];

  constructor(read: (addresses: Address[]) => Promise<WirePerson[]>) {
    this.#read = read;
  }

  get(addresses: Address[]): Promise<WirePerson[]> {
    return Promise.all(addresses.map((address) => this.#one(address)));
  }

  /**
   * Call when a wallet has called or written: it tells its profile from then on.
   * @returns whether it is to be read again, because its profile had no name or was not told
   */
  isNews(address: Address): boolean {
    if (this.#entries.get(address)?.person?.profileName !== null) return false;
    if ((this.#contacts.get(address) ?? -Infinity) + contactMs > Date.now()) return false;
    this.#contacts.set(address, Date.now());
    dropOldest(this.#contacts);
    return true;
  }

  forget(address: Address): void {
    this.#entries.delete(address);
  }

  clear(): void {
    this.#contacts.clear();
    // What is being read now is not older than this call.
    for (const [address, { person }] of this.#entries) if (person) this.#entries.delete(address);
  }

  #one(address: Address): Promise<WirePerson> {
    const known = this.#entries.get(address);
    if (known && known.until > Date.now()) return known.answer;
    const answer = new Promise<WirePerson>((resolve, reject) => {
      if (this.#waiting.push({ address, resolve, reject }) === 1) setTimeout(() => this.#readWaiting());
    });
    const entry: Entry = { answer, person: null, until: Date.now() + keptMs };
    this.#entries.delete(address);
    this.#entries.set(address, entry);
    dropOldest(this.#entries);
    answer.then(
      (person) => {
        entry.person = person;
      },
      () => {
        if (this.#entries.get(address) === entry) this.#entries.delete(address);
      },
    );
    return answer;
  }

  #readWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (let at = 0; at < waiting.length; at += maxPeople) {
      const some = waiting.slice(at, at + maxPeople);
      this.#read(some.map(({ address }) => address)).then(
        (people) => some.forEach(({ resolve }, index) => resolve(people[index] as WirePerson)),
        (error: unknown) => some.forEach(({ reject }) => reject(error)),
      );
    }
  }
}

function dropOldest<Key>(entries: Map<Key, unknown>): void {
  const [oldest] = entries.keys();
  if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
}
