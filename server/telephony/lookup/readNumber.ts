import {
  isSupportedCountry,
  ParseError,
  parsePhoneNumberWithError,
  validatePhoneNumberLength,
  type PhoneNumber,
} from 'libphonenumber-js/max';
import type { z } from 'zod';
import type { lookUp } from '../../../sdk/protocol/lookup.ts';

type Written = Pick<z.output<typeof lookUp>, 'phoneNumber' | 'country'>;

export interface ReadNumber {
  /** null where nothing can be made of it. */
  number: PhoneNumber | null;
  /** In the words of Twilio's Lookup, which people know: empty for a valid one. */
  errors: string[];
}

/** Reads a number as people write it. Needs nothing but the numbering plans, so it costs nobody anything. */
export function readNumber({ phoneNumber, country }: Written): ReadNumber {
  if (country !== undefined && !isSupportedCountry(country))
    return { number: null, errors: ['INVALID_COUNTRY_CODE'] };
  try {
    const number = parsePhoneNumberWithError(phoneNumber, {
      ...(country === undefined ? {} : { defaultCountry: country }),
      // Words around a number are no part of one.
      extract: false,
    });
    return { number, errors: number.isValid() ? [] : [whyNot(number)] };
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    return { number: null, errors: [names[error.message] ?? 'NOT_A_NUMBER'] };
  }
}

const names: Record<string, string> = {
  INVALID_COUNTRY: 'INVALID_COUNTRY_CODE',
  TOO_SHORT: 'TOO_SHORT',
  TOO_LONG: 'TOO_LONG',
};

const whyNot = (number: PhoneNumber) => validatePhoneNumberLength(number.number) ?? 'INVALID_BUT_POSSIBLE';
