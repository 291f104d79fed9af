import { getCountries, parsePhoneNumberFromString, type CountryCode } from 'libphonenumber-js/min';

/** Formats a number, for example as +1 202 555 0143. Other text, such as the name of a sender, is returned unchanged. */
export function formatPhoneNumber(phoneNumber: string): string {
  return parsePhoneNumberFromString(phoneNumber)?.formatInternational() ?? phoneNumber;
}

/** Converts a number to E.164. One without a plus is taken as a number of `country`. @returns null if the text is not a number */
export function parsePhoneNumber(text: string, country?: string): string | null {
  const parsed = parsePhoneNumberFromString(text, country as CountryCode | undefined);
  return parsed?.isPossible() ? parsed.number : null;
}

export function countryOf(phoneNumber: string): string | undefined {
  return parsePhoneNumberFromString(phoneNumber)?.country;
}

const names = new Intl.DisplayNames(undefined, { type: 'region' });

/** The name of a country, for example Germany. */
export const nameOfCountry = (code: string): string => names.of(code) ?? code;

/** Every country, sorted by name. */
export const countries: { value: string; label: string }[] = getCountries()
  .filter((code) => /^[A-Z]{2}$/.test(code))
  .map((value) => ({ value: value, label: nameOfCountry(value) }))
  .sort((one, other) => one.label.localeCompare(other.label));
