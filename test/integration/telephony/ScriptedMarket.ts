import { CarrierError } from '../../../server/telephony/sms/CarrierError.ts';
import type {
  BoughtNumber,
  NumberMarket,
  NumberOffer,
  NumberPurchase,
  NumberQuery,
} from '../../../server/telephony/sms/NumberMarket.ts';
import type { NumberType } from '../../../sdk/protocol/numbers.ts';

/** Sells one number per area code. The area code determines how an order ends. */
export class ScriptedMarket implements NumberMarket {
  listedMs = 0;
  /** Ids of all purchase requests, including repeated ones. */
  readonly asked: string[] = [];
  readonly released: string[] = [];
  /** Order ids by sold number. */
  readonly sold = new Map<string, string>();
  #isFree = Promise.resolve();

  /** Delays all getOutcome() answers. @returns function that releases them */
  hold(): () => void {
    let end = () => {};
    this.#isFree = new Promise((resolve) => (end = resolve));
    return end;
  }

  types(country: string): Promise<NumberType[]> {
    return Promise.resolve(country === 'US' ? ['local'] : []);
  }

  search({ areaCode, phoneNumber }: NumberQuery): Promise<NumberOffer[]> {
    const number = phoneNumber ?? `+1${areaCode ?? '201'}5550100`;
    const capabilities = { sms: true, mms: false, voice: false };
    const offer = { phoneNumber: number, country: 'US', region: null, type: 'local' as const, capabilities };
    return Promise.resolve(this.sold.has(number) ? [] : [offer]);
  }

  async buy({ orderId, phoneNumber }: NumberPurchase): Promise<BoughtNumber> {
    const isFirst = !this.asked.includes(orderId);
    this.asked.push(orderId);
    switch (phoneNumber.slice(2, 5)) {
      // First a temporary failure without a sale, then a sale.
      case '301':
        if (isFirst) throw new CarrierError('temporary', 'carrier_unavailable', 'Busy.');
        break;
      // Sold, but the response is lost.
      case '302':
        this.sold.set(phoneNumber, orderId);
        throw new CarrierError('unknown', 'unknown_outcome', 'No answer.');
      // First not sold, with the response lost; then unavailable.
      case '303':
        if (isFirst) throw new CarrierError('unknown', 'unknown_outcome', 'No answer.');
        throw new CarrierError('permanent', 'number_unavailable', 'Gone.');
      // Sold after the response was lost, and therefore not for sale any more.
      case '309':
        if (isFirst) throw new CarrierError('unknown', 'unknown_outcome', 'No answer.');
        this.sold.set(phoneNumber, orderId);
        throw new CarrierError('permanent', 'number_unavailable', 'Gone.');
      case '304':
        throw new CarrierError('permanent', 'regulatory_requirements', 'Papers.', {
          requirements: ['proof_of_address'],
        });
      case '305':
        throw new CarrierError('permanent', 'carrier_unavailable', 'The operator has not paid.');
      case '306':
        this.sold.set(phoneNumber, orderId);
        return new Promise(() => {});
      case '307':
        throw new Error('a bug of the driver');
    }
    this.sold.set(phoneNumber, orderId);
    return { reference: `ref ${phoneNumber}` };
  }

  async getOutcome({ orderId, phoneNumber }: NumberPurchase) {
    await this.#isFree;
    return this.sold.get(phoneNumber) === orderId
      ? ({ outcome: 'bought', number: { reference: `ref ${phoneNumber}` } } as const)
      : ({ outcome: 'not_bought' } as const);
  }

  release({ phoneNumber }: { phoneNumber: string }): Promise<void> {
    this.sold.delete(phoneNumber);
    this.released.push(phoneNumber);
    return Promise.resolve();
  }
}
