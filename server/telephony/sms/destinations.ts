import { getCountries, getCountryCallingCode, parsePhoneNumberFromString } from 'libphonenumber-js/max';

/**
 * The country of a number; null if no such number can exist. A number in no known range (for example one reserved for fiction) is assigned
 * to the main country of its calling code.
 */
export const countryOf = (phoneNumber: string): string | null => destinationOf(phoneNumber)?.country ?? null;

interface Destination {
  country: string | null;
  /** The number in E.164, without the prefix of national calls that people leave in it (+49 0151 … is +49 151 …). */
  e164: string;
}

/** Finds a destination; null if no such number can exist. */
export function destinationOf(phoneNumber: string): Destination | null {
  const known = lastDestinations.get(phoneNumber);
  if (known !== undefined) return known;
  const destination = findDestination(phoneNumber);
  if (lastDestinations.size >= keptDestinations) lastDestinations.clear();
  lastDestinations.set(phoneNumber, destination);
  return destination;
}

/** The country of a number is needed several times for each text, and finding it takes longer than most of its other steps. */
const lastDestinations = new Map<string, Destination | null>();
const keptDestinations = 1_000;

function findDestination(phoneNumber: string): Destination | null {
  const parsed = parsePhoneNumberFromString(phoneNumber);
  if (!parsed?.isPossible()) return null;
  const country = parsed.country ?? mainCountries.get(parsed.countryCallingCode) ?? null;
  return { country, e164: parsed.number };
}

/**
 * Only a number in E.164 may be texted. A carrier may deliver to other notations, too, but the replies and opt-outs of such a recipient
 * come from the number in E.164, and would be taken for those of another one.
 * @param countries the countries that may be texted; `*` for all
 */
export function mayBeTexted(phoneNumber: string, countries: readonly string[]): boolean {
  const { country = null, e164 } = destinationOf(phoneNumber) ?? {};
  return country !== null && e164 === phoneNumber && (countries.includes('*') || countries.includes(country));
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
