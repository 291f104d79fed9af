import type { NumberType } from '../../../sdk/protocol/numbers.ts';

export interface NumberCapabilities {
  sms: boolean;
  mms: boolean;
  voice: boolean;
}

/** The half of a carrier that sells numbers. */
export interface NumberMarket {
  /** What it sells in a country (ISO 3166-1 alpha-2), the usual type first; empty where it sells nothing. */
  types(country: string): Promise<NumberType[]>;

  /** Numbers that can be bought now; what is found may be gone a moment later. Empty where there is none. */
  search(query: NumberQuery): Promise<NumberOffer[]>;

  /**
   * Buys a number. The same order twice is one purchase.
   * @throws CarrierError `permanent` with `number_unavailable` (sold to somebody else, or not for sale), `unsupported_country`, or
   *   `regulatory_requirements` (with `requirements`); `temporary`: certainly not bought; `unknown`: ask getOutcome()
   */
  buy(order: NumberPurchase): Promise<BoughtNumber>;

  /** What became of an order whose process died, or whose outcome is unknown. Throws when it can't ask now; it is asked again. */
  getOutcome(
    order: NumberPurchase,
  ): Promise<{ outcome: 'bought'; number: BoughtNumber } | { outcome: 'not_bought' }>;

  /**
   * Gives a number back. Of one it doesn't have (any more) it says nothing. May come late and twice: it must not take the number
   * from who has bought it since, so a reference is of the purchase, not of the number.
   */
  release(number: { phoneNumber: string; reference: string }): Promise<void>;
}

export interface NumberQuery {
  country: string;
  type: NumberType;
  /** The digits after the country code the number begins with. */
  areaCode: string | null;
  /** This very number. */
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
  /** Ours (`ord_…`). */
  orderId: string;
}

export interface BoughtNumber {
  /** The carrier's id of this purchase of the number. */
  reference: string;
}
