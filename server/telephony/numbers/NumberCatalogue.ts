import type { z } from 'zod';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import { defaultPageSize } from '../../../sdk/protocol/http.ts';
import type {
  availableNumbers,
  availableQuery,
  buyNumber,
  NumberType,
} from '../../../sdk/protocol/numbers.ts';
import { monthlyCredits } from '../../money/prices.ts';
import type { NumberMarket, NumberOffer } from '../sms/NumberMarket.ts';
import { CarrierError } from '../sms/CarrierError.ts';
import { badField } from '../../http/refusals.ts';

/** The number that a buyer wants. */
export type WantedNumber = z.output<typeof buyNumber> & Pick<z.output<typeof availableQuery>, 'limit'>;

/** The numbers on sale and their prices. */
export class NumberCatalogue {
  readonly #market: NumberMarket | null;

  constructor(market: NumberMarket | null) {
    this.#market = market;
  }

  /** @throws ParleyError SERVICE_UNAVAILABLE if the carrier has no market */
  get market(): NumberMarket {
    if (this.#market) return this.#market;
    throw sellsNone();
  }

  /** @throws ParleyError SERVICE_UNAVAILABLE if the carrier sells no numbers now */
  get #openMarket(): NumberMarket {
    if (this.market.isClosed) throw sellsNone();
    return this.market;
  }

  async available(query: z.output<typeof availableQuery>): Promise<z.input<typeof availableNumbers>> {
    const offers = await this.find({ ...query, limit: query.limit ?? defaultPageSize });
    const data = offers.map((offer) => ({ ...offer, monthlyCredits: monthlyCredits[offer.type] }));
    return { data, hasMore: false, nextCursor: null };
  }

  /** The monthly price of the requested number. If only the phone number is given, its type is looked up. */
  async rate(wanted: WantedNumber): Promise<number> {
    return monthlyCredits[wanted.type ?? (await this.#typesFor(wanted))[0] ?? 'local'];
  }

  /** @throws ParleyError unsupported_country */
  async check({ country, type }: WantedNumber): Promise<void> {
    const types = await askCarrier(this.#openMarket.types(country));
    if (type === undefined ? types.length > 0 : types.includes(type)) return;
    const what = types.length > 0 && type ? `${type.replace('_', '-')} numbers` : 'numbers';
    const message = `this server sells no ${what} in ${country}; choose another country or type`;
    const path = types.length > 0 ? 'type' : 'country';
    throw badField(path, 'unsupported_country', message, 'unsupported_country');
  }

  async find(wanted: WantedNumber): Promise<NumberOffer[]> {
    await this.check(wanted);
    const [type] = await this.#typesFor(wanted);
    return type ? this.#search(wanted, type, wanted.limit ?? defaultPageSize) : [];
  }

  /** The types that fit the request, the usual one first. If a phone number is given, only its own type. */
  async #typesFor(wanted: WantedNumber): Promise<NumberType[]> {
    if (wanted.type) return [wanted.type];
    const types = await askCarrier(this.#openMarket.types(wanted.country));
    if (wanted.phoneNumber === undefined) return types;
    for (const type of types) if ((await this.#search(wanted, type, 1)).length > 0) return [type];
    return [];
  }

  #search(wanted: WantedNumber, type: NumberType, limit: number): Promise<NumberOffer[]> {
    const { country, areaCode = null, phoneNumber = null, capabilities = ['sms'] } = wanted;
    return askCarrier(this.#openMarket.search({ country, type, areaCode, phoneNumber, capabilities, limit }));
  }
}

/** Converts a failure of the carrier to an error for the client. */
async function askCarrier<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof CarrierError)) throw error;
    throw new ParleyError('SERVICE_UNAVAILABLE', 'The carrier did not answer. Try again later.', {
      reason: 'upstream_error',
      retryAfter: error.retryAfter,
      cause: error,
    });
  }
}

const sellsNone = () =>
  new ParleyError(
    'SERVICE_UNAVAILABLE',
    'The carrier of this server does not sell numbers. Send texts from the pool with /sms/send instead.',
  );
