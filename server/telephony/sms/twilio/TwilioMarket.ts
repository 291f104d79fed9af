import type { NumberType } from '../../../../sdk/protocol/numbers.ts';
import { getCountryCallingCode, isSupportedCountry } from 'libphonenumber-js/max';
import type twilio from 'twilio';
import { justSold } from '../CarrierError.ts';
import type {
  BoughtNumber,
  NumberMarket,
  NumberOffer,
  NumberPurchase,
  NumberQuery,
} from '../NumberMarket.ts';
import { retried } from './retried.ts';
import { twilioListedMs } from './twilioClient.ts';
import { orTwilioError, twilioError } from './twilioError.ts';

interface MarketDeps {
  client: twilio.Twilio;
  /** The base URL of our callbacks. */
  callbackUrl: string;
}

interface Options {
  contains?: string;
  smsEnabled?: boolean;
  mmsEnabled?: boolean;
  voiceEnabled?: boolean;
  limit: number;
}

interface Found {
  phoneNumber: string;
  region: string;
  capabilities: object;
}

const typesKeptMs = 60 * 60_000;
/** The page size of searches whose results are filtered further here. */
const widePage = 100;
const allTypes: NumberType[] = ['local', 'mobile', 'toll_free'];

/** Sells Twilio's numbers. A bought number gets its order's id as friendly name, so that the purchase can be found again. */
export class TwilioMarket implements NumberMarket {
  readonly listedMs = twilioListedMs;
  readonly #deps: MarketDeps;
  readonly #types = new Map<string, { types: NumberType[]; at: number }>();

  constructor(deps: MarketDeps) {
    this.#deps = deps;
  }

  async types(country: string): Promise<NumberType[]> {
    const known = this.#types.get(country);
    if (known && performance.now() - known.at < typesKeptMs) return known.types;
    // Only existing countries are cached, so the map stays small.
    if (!isSupportedCountry(country)) return [];
    const types = await this.#askTypes(country);
    this.#types.set(country, { types, at: performance.now() });
    return types;
  }

  async search(query: NumberQuery): Promise<NumberOffer[]> {
    const { country, type, areaCode, phoneNumber, capabilities, limit } = query;
    if (!(await this.types(country)).includes(type)) return [];
    const calling = isSupportedCountry(country) ? getCountryCallingCode(country) : '';
    const start = phoneNumber ?? `+${calling}${areaCode ?? ''}`;
    const isNarrow = phoneNumber !== null || areaCode !== null;
    const found = await orTwilioError(
      this.#listOf(
        country,
        type,
      )({
        ...(isNarrow ? { contains: start.slice(1) } : {}),
        ...(capabilities.includes('sms') ? { smsEnabled: true } : {}),
        ...(capabilities.includes('mms') ? { mmsEnabled: true } : {}),
        ...(capabilities.includes('voice') ? { voiceEnabled: true } : {}),
        limit: isNarrow ? widePage : limit,
      }),
    );
    return found
      .filter((each) => each.phoneNumber.startsWith(start))
      .slice(0, limit)
      .map(({ phoneNumber: number, region, capabilities: can }) => ({
        phoneNumber: number,
        country,
        type,
        region: region || null,
        capabilities: capabilitiesOf(can),
      }));
  }

  async buy(order: NumberPurchase): Promise<BoughtNumber> {
    const { orderId, phoneNumber } = order;
    const before = await this.#owned(phoneNumber);
    if (before) {
      if (before.friendlyName === orderId) return { reference: before.sid };
      throw justSold();
    }
    const smsUrl = `${this.#deps.callbackUrl}/inbound${retried}`;
    const { sid } = await orTwilioError(
      this.#deps.client.incomingPhoneNumbers.create({
        phoneNumber,
        friendlyName: orderId,
        smsUrl,
        smsMethod: 'POST',
      }),
    );
    return { reference: sid };
  }

  async getOutcome({ orderId, phoneNumber }: NumberPurchase) {
    const owned = await this.#owned(phoneNumber);
    return owned?.friendlyName === orderId
      ? ({ outcome: 'bought', number: { reference: owned.sid } } as const)
      : ({ outcome: 'not_bought' } as const);
  }

  async release({ reference }: { reference: string }): Promise<void> {
    await this.#deps.client
      .incomingPhoneNumbers(reference)
      .remove()
      .catch((error: unknown) => {
        if ((error as { status?: unknown }).status !== 404) throw twilioError(error);
      });
  }

  #listOf(country: string, type: NumberType): (options: Options) => Promise<Found[]> {
    const sold = this.#deps.client.availablePhoneNumbers(country);
    switch (type) {
      case 'local':
        return (options) => sold.local.list(options);
      case 'mobile':
        return (options) => sold.mobile.list(options);
      case 'toll_free':
        return (options) => sold.tollFree.list(options);
    }
  }

  async #owned(phoneNumber: string) {
    const found = await orTwilioError(
      this.#deps.client.incomingPhoneNumbers.list({ phoneNumber, limit: 20 }),
    );
    // The search also finds numbers that only contain this one.
    return found.find((each) => each.phoneNumber === phoneNumber);
  }

  async #askTypes(country: string): Promise<NumberType[]> {
    try {
      const { subresourceUris } = await this.#deps.client.availablePhoneNumbers(country).fetch();
      const sold = Object.keys(subresourceUris);
      return allTypes.filter((type) => sold.includes(type));
    } catch (error) {
      if ((error as { status?: unknown }).status === 404) return [];
      throw twilioError(error);
    }
  }
}

/** Converts capabilities. In some of Twilio's answers, the keys are in capitals. */
function capabilitiesOf(given: object): NumberOffer['capabilities'] {
  const can = (name: string) =>
    Object.entries(given).some(([key, value]) => key.toLowerCase() === name && value === true);
  return { sms: can('sms'), mms: can('mms'), voice: can('voice') };
}
