import type { Address } from '../sdk/protocol/common.ts';
import { ParleyError } from '../sdk/protocol/errors.ts';
import type { Contacts } from './Contacts.ts';
import type { KeyLimit, LimitFactory, Requester } from '../platform/limits/Limits.ts';

interface Reaching {
  from: Requester & { wallet: Address };
  to: Address;
}

/** The other limits, as shares of the limit for all contacts together. */
const shares = { oneSender: 1 / 6, oneNetwork: 1 / 4, strangers: 1 / 2 };

/**
 * Limits how often a wallet may be reached per minute. All contacts together have one limit, and all strangers together have another, half
 * as large, so that strangers cannot use up what contacts need. Strangers from one network may use at most half of the limit for strangers.
 * No single sender gets more than a sixth of the limit for contacts.
 *
 * Blocked senders count like others. If a blocked contact were counted as a stranger, it could notice that it is blocked.
 */
export class RecipientLimit {
  readonly #contacts: Pick<Contacts, 'knows'>;
  readonly #fromOne: KeyLimit;
  readonly #fromContacts: KeyLimit;
  readonly #fromStrangers: KeyLimit;
  readonly #fromNetwork: KeyLimit;

  constructor(factory: LimitFactory, contacts: Pick<Contacts, 'knows'>, name: string, perMinute: number) {
    const limit = (of: string, share: number) =>
      factory.perKey(`${name}${of}`, Math.ceil(perMinute * share), 60);
    this.#contacts = contacts;
    this.#fromOne = limit('.one', shares.oneSender);
    this.#fromNetwork = limit('.strangers.network', shares.oneNetwork);
    this.#fromStrangers = limit('.strangers', shares.strangers);
    this.#fromContacts = limit('', 1);
  }

  /**
   * Counts one attempt to reach the recipient.
   * @returns whether the sender is a contact of the recipient
   * @throws ParleyError RATE_LIMIT_EXCEEDED
   */
  async consume({ from, to }: Reaching): Promise<boolean> {
    await this.#fromOne.consume(`${from.wallet}>${to}`);
    if (await this.#contacts.knows(to, from.wallet)) {
      await this.#fromContacts.consume(to);
      return true;
    }
    const [network] = from.subnets;
    if (network) await this.#fromNetwork.consume(`${network.key}>${to}`);
    await this.#fromStrangers.consume(to);
    return false;
  }

  /** Like consume(), but does not throw RATE_LIMIT_EXCEEDED. @returns false if the limit is exceeded */
  async admits(reaching: Reaching): Promise<boolean> {
    try {
      await this.consume(reaching);
      return true;
    } catch (error) {
      if (error instanceof ParleyError && error.code === 'RATE_LIMIT_EXCEEDED') return false;
      throw error;
    }
  }
}
