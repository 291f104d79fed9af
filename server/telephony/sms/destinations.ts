import { getCountries, getCountryCallingCode, parsePhoneNumberFromString } from 'libphonenumber-js/max';

/**
 * The country of a number; null if no such number can exist. A number in no known range (for example one reserved for fiction) is assigned
 * to the main country of its calling code.
 */
export function countryOf(phoneNumber: string): string | null {
  const known = lastCountries.get(phoneNumber);
  if (known !== undefined) return known;
  const country = findCountry(phoneNumber);
  if (lastCountries.size >= keptCountries) lastCountries.clear();
  lastCountries.set(phoneNumber, country);
  return country;
}

/** The country of a number is needed several times for each text, and finding it takes longer than most of its other steps. */
const lastCountries = new Map<string, string | null>();
const keptCountries = 1_000;

function findCountry(phoneNumber: string): string | null {
  const parsed = parsePhoneNumberFromString(phoneNumber);
  if (!parsed?.isPossible()) return null;
  return parsed.country ?? mainCountries.get(parsed.countryCallingCode) ?? null;
}

/** @param countries the countries that may be texted; `*` for all */
export function mayBeTexted(phoneNumber: string, countries: readonly string[]): boolean {
  const country = countryOf(phoneNumber);
  return country !== null && (countries.includes('*') || countries.includes(country));
}

/** For each shared calling code, the country that has most of its numbers. */
const sharedCodes: Record<string, string> = {
  '1': 'US',
  '7': 'RU',
  '39': 'IT',
  '44': 'GB',
  '47': 'NO',
  '61': 'AU',
  '212': 'MA',
  '262': 'RE',
  '290': 'SH',
  '358': 'FI',
  '590': 'GP',
  '599': 'CW',
};
const mainCountries = new Map<string, string>(
  getCountries().map((country) => {
    const callingCode = getCountryCallingCode(country);
    return [callingCode, sharedCodes[callingCode] ?? country];
  }),
);
