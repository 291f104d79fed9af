import type { z } from 'zod';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import { defaultPageSize } from '../../../sdk/protocol/http.ts';
import type { availableNumbers, availableQuery, NumberType } from '../../../sdk/protocol/numbers.ts';
import { monthlyCredits } from '../../money/prices.ts';
import type { NumberCapabilities, NumberMarket, NumberOffer } from '../sms/NumberMarket.ts';
import { CarrierError } from '../sms/CarrierError.ts';

/** A number as it is asked for. */
export interface WantedNumber {
  country: string;
  type?: NumberType | undefined;
  areaCode?: string | undefined;
  phoneNumber?: string | undefined;
  capabilities?: (keyof NumberCapabilities)[] | undefined;
  limit?: number | undefined;
}

/** What can be bought, and for how much. */
export class NumberCatalogue {
  readonly #market: NumberMarket | null;

  constructor(market: NumberMarket | null) {
    this.#market = market;
  }

  /** @throws ParleyError SERVICE_UNAVAILABLE where the carrier sells none */
  get market(): NumberMarket {
    if (this.#market) return this.#market;
    throw new ParleyError('SERVICE_UNAVAILABLE', 'This server’s carrier sells no numbers.', {
      reason: 'service_unavailable',
    });
  }

  async available(query: z.output<typeof availableQuery>): Promise<z.input<typeof availableNumbers>> {
    const offers = await this.find({ ...query, limit: query.limit ?? defaultPageSize });
    const data = offers.map((offer) => ({ ...offer, monthlyCredits: monthlyCredits[offer.type] }));
    return { data, hasMore: false, nextCursor: null };
  }

  /** What a month costs of what is asked for; a number named without its type is looked for. */
  async rate(wanted: WantedNumber): Promise<number> {
    return monthlyCredits[wanted.type ?? (await this.#typesFor(wanted))[0] ?? 'local'];
  }

  /** @throws ParleyError unsupported_country */
  async check({ country, type }: WantedNumber): Promise<void> {
    const types = await asked(this.market.types(country));
    if (type === undefined ? types.length > 0 : types.includes(type)) return;
    const what = types.length > 0 && type ? `${type.replace('_', '-')} numbers` : 'numbers';
    const message = `this server sells no ${what} in ${country}`;
    const path = types.length > 0 ? 'type' : 'country';
    throw new ParleyError('VALIDATION_ERROR', `${path}: ${message}`, {
      reason: 'unsupported_country',
      details: [{ path, code: 'unsupported_country', message }],
    });
  }

  async find(wanted: WantedNumber): Promise<NumberOffer[]> {
    await this.check(wanted);
    const [type] = await this.#typesFor(wanted);
    return type ? this.#search(wanted, type, wanted.limit ?? defaultPageSize) : [];
  }

  /** The usual type first; of a number that is named, the one it has. */
  async #typesFor(wanted: WantedNumber): Promise<NumberType[]> {
    if (wanted.type) return [wanted.type];
    const types = await asked(this.market.types(wanted.country));
    if (wanted.phoneNumber === undefined) return types;
    for (const type of types) if ((await this.#search(wanted, type, 1)).length > 0) return [type];
    return [];
  }

  #search(wanted: WantedNumber, type: NumberType, limit: number): Promise<NumberOffer[]> {
    const { country, areaCode = null, phoneNumber = null, capabilities = ['sms'] } = wanted;
    return asked(this.market.search({ country, type, areaCode, phoneNumber, capabilities, limit }));
  }
}

/** What the carrier can't answer is not ours to answer either. */
async function asked<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof CarrierError)) throw error;
    throw new ParleyError('SERVICE_UNAVAILABLE', 'The carrier could not be asked.', {
      reason: 'upstream_error',
      retryAfter: error.retryAfter,
      cause: error,
    });
  }
}
