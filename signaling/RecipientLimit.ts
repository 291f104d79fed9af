import type { Address } from '../sdk/protocol/common.ts';
import { ParleyError } from '../sdk/protocol/errors.ts';
import type { Contacts } from './Contacts.ts';
import type { KeyLimit, LimitFactory, Requester } from '../platform/limits/Limits.ts';

interface Reaching {
  from: Requester & { wallet: Address };
  to: Address;
}

/** Shares of the total limit. */
const shares = { oneSender: 1 / 6, oneNetwork: 1 / 4, strangers: 1 / 2 };

/**
 * How often a wallet may be reached per minute. Contacts have one limit and strangers another, half as large, of which the strangers
 * of one network may use half. No sender gets more than a sixth. So strangers cannot use up what contacts need.
 *
 * Blocked wallets are counted like others: a blocked contact that was counted as a stranger could notice it.
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
   * @returns whether the sender is a contact
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

  /** @returns false when consume() would throw RATE_LIMIT_EXCEEDED */
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
