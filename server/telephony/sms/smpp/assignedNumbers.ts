import type { NumberType } from '../../../../sdk/protocol/numbers.ts';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { countryOf } from '../destinations.ts';
import type { NumberOffer } from '../NumberMarket.ts';
import type { Stock } from '../stock/StockMarket.ts';

/** The numbers that an aggregator has assigned to this bind, as a stock that accounts buy from. */
export function assignedNumbers(phoneNumbers: readonly string[]): Stock {
  const offers = phoneNumbers.map((phoneNumber): NumberOffer => ({
    phoneNumber,
    country: countryOf(phoneNumber) ?? 'ZZ',
    region: null,
    type: typeOf(phoneNumber),
    capabilities: { sms: true, mms: false, voice: false },
  }));
  return {
    isEmpty: offers.length === 0,
    types: (country) => [
      ...new Set(offers.filter((each) => each.country === country).map(({ type }) => type)),
    ],
    fitting: ({ country, type, areaCode, phoneNumber, capabilities }) =>
      offers.filter(
        (offer) =>
          offer.country === country &&
          offer.type === type &&
          (phoneNumber === null || offer.phoneNumber === phoneNumber) &&
          (areaCode === null || nationalOf(offer.phoneNumber).startsWith(areaCode)) &&
          capabilities.every((capability) => offer.capabilities[capability]),
      ),
    requirements: () => [],
  };
}

const nationalOf = (phoneNumber: string) => parsePhoneNumberFromString(phoneNumber)?.nationalNumber ?? '';

function typeOf(phoneNumber: string): NumberType {
  const type = parsePhoneNumberFromString(phoneNumber)?.getType();
  if (type === 'TOLL_FREE') return 'toll_free';
  return type === 'MOBILE' ? 'mobile' : 'local';
}
