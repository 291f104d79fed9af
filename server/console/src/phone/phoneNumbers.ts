import { getCountries, parsePhoneNumberFromString, type CountryCode } from 'libphonenumber-js/min';

/** +1 202 555 0143; what is no number (the name of a sender, say) as it is. */
export function formatPhoneNumber(phoneNumber: string): string {
  return parsePhoneNumberFromString(phoneNumber)?.formatInternational() ?? phoneNumber;
}

/** What somebody typed as E.164: spaces and brackets do no harm, and without a plus it is a number of `country`. Null: no number. */
export function parsePhoneNumber(text: string, country?: string): string | null {
  const parsed = parsePhoneNumberFromString(text, country as CountryCode | undefined);
  return parsed?.isPossible() ? parsed.number : null;
}

export function countryOf(phoneNumber: string): string | undefined {
  return parsePhoneNumberFromString(phoneNumber)?.country;
}

const names = new Intl.DisplayNames(undefined, { type: 'region' });

/** Germany */
export const nameOfCountry = (code: string): string => names.of(code) ?? code;

/** Every country, by its name. */
export const countries: { value: string; label: string }[] = getCountries()
  .filter((code) => /^[A-Z]{2}$/.test(code))
  .map((value) => ({ value: value, label: nameOfCountry(value) }))
  .sort((one, other) => one.label.localeCompare(other.label));
