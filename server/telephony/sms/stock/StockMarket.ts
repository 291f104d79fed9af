import type { NumberType } from '../../../../sdk/protocol/numbers.ts';
import { and, eq, inArray } from 'drizzle-orm';
import type { Database } from '../../../../platform/database/database.ts';
import { CarrierError, justSold } from '../CarrierError.ts';
import type {
  BoughtNumber,
  NumberMarket,
  NumberOffer,
  NumberPurchase,
  NumberQuery,
} from '../NumberMarket.ts';
import { releaseFromStock } from './releaseFromStock.ts';
import { stockNumbers } from './tables.ts';

/** A fixed set of numbers, both sold and unsold. */
export interface Stock {
  /** Whether there are none. */
  isEmpty: boolean;
  types(country: string): NumberType[];
  /** All numbers that match, generated lazily. */
  fitting(query: NumberQuery): Iterable<NumberOffer>;
  /** The documents that regulators require for this number. */
  requirements(offer: NumberOffer): string[];
}

const batchSize = 100;

/**
 * Sells numbers that the operator already has: those of the loopback carrier, or those assigned by an SMPP aggregator. Each sale is a row.
 * The order whose row is inserted first gets the number.
 */
export class StockMarket implements NumberMarket {
  readonly listedMs = 0;
  readonly #deps: { db: Database; carrier: string; stock: Stock };

  constructor(deps: { db: Database; carrier: string; stock: Stock }) {
    this.#deps = deps;
  }

  get isClosed(): boolean {
    return this.#deps.stock.isEmpty;
  }

  types(country: string): Promise<NumberType[]> {
    return Promise.resolve(this.#deps.stock.types(country));
  }

  async search(query: NumberQuery): Promise<NumberOffer[]> {
    const found: NumberOffer[] = [];
    let batch: NumberOffer[] = [];
    for (const offer of this.#deps.stock.fitting(query)) {
      batch.push(offer);
      if (batch.length < batchSize) continue;
      found.push(...(await this.#unsold(batch)));
      batch = [];
      if (found.length >= query.limit) break;
    }
    if (found.length < query.limit) found.push(...(await this.#unsold(batch)));
    return found.slice(0, query.limit);
  }

  async buy(order: NumberPurchase): Promise<BoughtNumber> {
    const { orderId, phoneNumber, country, type } = order;
    const query = { country, type, phoneNumber, areaCode: null, capabilities: [], limit: 1 };
    const [offer] = this.#deps.stock.fitting(query);
    if (!offer)
      throw new CarrierError(
        'permanent',
        'number_unavailable',
        'This number is not for sale. Choose one from GET /numbers/available.',
      );
    const requirements = this.#deps.stock.requirements(offer);
    if (requirements.length > 0) {
      const message =
        'This number needs the documents listed in requirements. Ask the operator, or choose another number.';
      throw new CarrierError('permanent', 'regulatory_requirements', message, { requirements });
    }
    await this.#deps.db
      .insert(stockNumbers)
      .values({ carrier: this.#deps.carrier, phoneNumber, orderId })
      .onConflictDoNothing();
    const { outcome } = await this.getOutcome(order);
    if (outcome === 'not_bought') throw justSold();
    return { reference: orderId };
  }

  async getOutcome({ orderId, phoneNumber }: NumberPurchase) {
    const [sold] = await this.#deps.db
      .select({ orderId: stockNumbers.orderId })
      .from(stockNumbers)
      .where(this.#is([phoneNumber]));
    return sold?.orderId === orderId
      ? ({ outcome: 'bought', number: { reference: orderId } } as const)
      : ({ outcome: 'not_bought' } as const);
  }

  /** The reference is the id of the order. */
  async release(number: { phoneNumber: string; reference: string }): Promise<void> {
    await releaseFromStock(this.#deps.db, number);
  }

  /** Whether the number is sold. */
  async isSold(phoneNumber: string): Promise<boolean> {
    const rows = await this.#deps.db
      .select({ orderId: stockNumbers.orderId })
      .from(stockNumbers)
      .where(this.#is([phoneNumber]));
    return rows.length > 0;
  }

  async #unsold(offers: NumberOffer[]): Promise<NumberOffer[]> {
    if (offers.length === 0) return [];
    const sold = await this.#deps.db
      .select({ phoneNumber: stockNumbers.phoneNumber })
      .from(stockNumbers)
      .where(this.#is(offers.map(({ phoneNumber }) => phoneNumber)));
    const gone = new Set(sold.map(({ phoneNumber }) => phoneNumber));
    return offers.filter(({ phoneNumber }) => !gone.has(phoneNumber));
  }

  #is(phoneNumbers: string[]) {
    return and(eq(stockNumbers.carrier, this.#deps.carrier), inArray(stockNumbers.phoneNumber, phoneNumbers));
  }
}
