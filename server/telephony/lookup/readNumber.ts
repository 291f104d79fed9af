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
  /** null if the input cannot be read as a phone number. */
  number: PhoneNumber | null;
  /** Error codes, the same ones as in Twilio Lookup because developers know them. Empty for a valid number. */
  errors: string[];
}

/** Reads a number the way people write it. This needs only the numbering plans and no directory, so it is free of charge. */
export function readNumber({ phoneNumber, country }: Written): ReadNumber {
  if (country !== undefined && !isSupportedCountry(country))
    return { number: null, errors: ['INVALID_COUNTRY_CODE'] };
  try {
    const number = parsePhoneNumberWithError(phoneNumber, {
      ...(country === undefined ? {} : { defaultCountry: country }),
      // Text around a number makes the input invalid.
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
