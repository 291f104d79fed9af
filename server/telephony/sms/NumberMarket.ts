import type { NumberType } from '../../../sdk/protocol/numbers.ts';

export interface NumberCapabilities {
  sms: boolean;
  mms: boolean;
  voice: boolean;
}

/** The part of a carrier that sells numbers. */
export interface NumberMarket {
  /** How long after buy() an outcome of `not_bought` may still be wrong, because the carrier does not show the purchase yet. In milliseconds. */
  readonly listedMs: number;
  /** Whether nothing is for sale at all. Numbers that were sold before can still be released. Left out by a market that always sells. */
  readonly isClosed?: boolean;

  /** The types of number sold in a country (ISO 3166-1 alpha-2), the usual one first. Empty if none are sold there. */
  types(country: string): Promise<NumberType[]>;

  /** Numbers that can be bought now. Any of them may be sold a moment later. Empty if there are none. */
  search(query: NumberQuery): Promise<NumberOffer[]>;

  /**
   * Buys a number. If this is called again for the same order, the number is still bought only once.
   * @throws CarrierError `permanent` with `number_unavailable` (sold to another buyer, or not for sale), `unsupported_country` or
   *   `regulatory_requirements` (with `requirements`), `temporary` if the number was certainly not bought, or `unknown`, after which
   *   getOutcome() must be called
   */
  buy(order: NumberPurchase): Promise<BoughtNumber>;

  /**
   * Returns the outcome of an order whose process died, or whose outcome is unknown. If the carrier cannot be asked now, this throws and is
   * called again later. `not_bought` is certain only `listedMs` after buy().
   */
  getOutcome(
    order: NumberPurchase,
  ): Promise<{ outcome: 'bought'; number: BoughtNumber } | { outcome: 'not_bought' }>;

  /**
   * Releases a number. Does nothing for a number that the market does not know. It may be called late or twice, and must not take the
   * number away from a later buyer. So `reference` identifies the purchase and not the number.
   */
  release(number: { phoneNumber: string; reference: string }): Promise<void>;
}

export interface NumberQuery {
  country: string;
  type: NumberType;
  /** The first digits of the number after the country code. */
  areaCode: string | null;
  /** If set, only this number is searched for. */
  phoneNumber: string | null;
  capabilities: (keyof NumberCapabilities)[];
  limit: number;
}

export interface NumberOffer {
  phoneNumber: string;
  country: string;
  region: string | null;
  type: NumberType;
  capabilities: NumberCapabilities;
}

export interface NumberPurchase extends NumberOffer {
  /** Our id (`ord_…`). */
  orderId: string;
}

export interface BoughtNumber {
  /** The carrier's id of this purchase. */
  reference: string;
}
