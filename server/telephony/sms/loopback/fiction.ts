import type { NumberType } from '../../../../sdk/protocol/numbers.ts';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import type { NumberOffer, NumberQuery } from '../NumberMarket.ts';
import type { Stock } from '../stock/StockMarket.ts';

interface Range {
  country: string;
  region: string | null;
  type: NumberType;
  callingCode: string;
  /** The common prefix of the range's numbers, after the calling code. */
  start: string;
  /** The number of digits after the prefix. */
  digits: number;
}

const range =
  (country: string, callingCode: string) =>
  (type: NumberType, start: string, digits: number, region: string | null = null): Range => ({
    country,
    region,
    type,
    callingCode,
    start,
    digits,
  });

/**
 * The areas that a search without an area code offers. 555-0100 to 555-0199 are reserved for fiction in every area code of the North
 * American plan.
 */
const usAreas: Record<string, string> = {
  212: 'New York',
  202: 'District of Columbia',
  206: 'Washington',
  213: 'California',
  303: 'Colorado',
  305: 'Florida',
  312: 'Illinois',
  404: 'Georgia',
  415: 'California',
  503: 'Oregon',
  512: 'Texas',
  602: 'Arizona',
  617: 'Massachusetts',
  702: 'Nevada',
  713: 'Texas',
  718: 'New York',
};
const canadianAreas: Record<string, string> = {
  416: 'Ontario',
  514: 'Quebec',
  604: 'British Columbia',
  403: 'Alberta',
  902: 'Nova Scotia',
};
const tollFreeAreas = ['800', '833', '844', '855', '866', '877', '888'];

const [us, ca] = [range('US', '1'), range('CA', '1')];
const [gb, ie, au] = [range('GB', '44'), range('IE', '353'), range('AU', '61')];
const [de, fr, se] = [range('DE', '49'), range('FR', '33'), range('SE', '46')];
/** The ranges in the order of their area codes, because JavaScript sorts numeric object keys. */
const byArea = (make: typeof us, areas: Record<string, string>) =>
  Object.entries(areas).map(([area, region]) => make('local', `${area}55501`, 2, region));

/** Ranges that regulators reserve for films and books: FCC/CNAC, Ofcom, ComReg, ACMA, Bundesnetzagentur, Arcep, PTS. */
const ranges: Range[] = [
  ...byArea(us, usAreas),
  ...tollFreeAreas.map((area) => us('toll_free', `${area}55501`, 2)),
  ...byArea(ca, canadianAreas),
  gb('local', '2079460', 3, 'London'),
  gb('local', '1134960', 3, 'Leeds'),
  gb('local', '1214960', 3, 'Birmingham'),
  gb('local', '1314960', 3, 'Edinburgh'),
  gb('local', '1414960', 3, 'Glasgow'),
  gb('local', '1614960', 3, 'Manchester'),
  gb('mobile', '7700900', 3),
  gb('toll_free', '8081570', 3),
  ie('local', '2091', 5),
  au('local', '255501', 3, 'New South Wales'),
  au('local', '355501', 3, 'Victoria'),
  au('local', '755501', 3, 'Queensland'),
  au('mobile', '49157015', 1),
  de('local', '3023125', 3, 'Berlin'),
  de('local', '4066969', 3, 'Hamburg'),
  de('local', '6990009', 3, 'Frankfurt am Main'),
  de('local', '8999998', 3, 'München'),
  de('mobile', '1713920', 4),
  de('mobile', '17604069', 3),
  fr('local', '19900', 4, 'Paris'),
  fr('local', '26191', 4),
  fr('local', '35301', 4),
  fr('local', '46571', 4),
  fr('local', '53649', 4),
  fr('mobile', '63998', 4),
  se('local', '846500', 3, 'Stockholm'),
  se('local', '3139006', 2, 'Göteborg'),
  se('mobile', '7017406', 2),
];

/** The pool. These numbers are never sold. */
export const loopbackPool = [
  '+12025550190',
  '+12025550191',
  '+12025550192',
  '+12025550193',
  '+447700900990',
  '+447700900991',
];

/**
 * The loopback carrier's numbers for sale. No real phone has them.
 * @param pool the numbers from which it sends for accounts without a number of their own, if they are others than `loopbackPool`
 */
export function fictionBeside(pool: readonly string[]): Stock {
  const unsold = new Set([...loopbackPool, ...pool]);
  return {
    isEmpty: false,

    types(country) {
      return [...new Set(ranges.filter((each) => each.country === country).map(({ type }) => type))];
    },

    *fitting(query) {
      for (const each of rangesFor(query)) {
        for (const national of query.phoneNumber === null
          ? nationalsOf(each)
          : named(each, query.phoneNumber)) {
          const offer = offerOf(each, national);
          if (query.areaCode !== null && !national.startsWith(query.areaCode)) continue;
          if (query.capabilities.some((capability) => !offer.capabilities[capability])) continue;
          if (!unsold.has(offer.phoneNumber)) yield offer;
        }
      }
    },

    /** Like a real carrier, requires documents for some numbers (French mobile numbers), so that apps can test this case. */
    requirements: ({ country, type }) =>
      country === 'FR' && type === 'mobile' ? ['proof_of_identity', 'proof_of_address'] : [],
  };
}

function* nationalsOf({ start, digits }: Range): Iterable<string> {
  for (let index = 0; index < 10 ** digits; index++) yield start + String(index).padStart(digits, '0');
}

/** Finds a given number directly, instead of searching a hundred thousand numbers for it. */
function named({ callingCode, start, digits }: Range, phoneNumber: string): string[] {
  const national = phoneNumber.slice(callingCode.length + 1);
  return national.startsWith(start) && national.length === start.length + digits ? [national] : [];
}

const offerOf = ({ country, region, type, callingCode }: Range, national: string): NumberOffer => ({
  phoneNumber: `+${callingCode}${national}`,
  country,
  region,
  type,
  capabilities: { sms: true, mms: true, voice: false },
});

/** The ranges that can contain the requested number or area code. */
function rangesFor({ country, type, areaCode, phoneNumber }: NumberQuery): Range[] {
  const known = ranges.filter((each) => each.country === country && each.type === type);
  const wanted = phoneNumber?.slice(2, 5) ?? areaCode?.slice(0, 3);
  const listed = known.filter(
    (each) =>
      (areaCode === null || agree(each.start, areaCode)) &&
      (phoneNumber === null || phoneNumber.startsWith(`+${each.callingCode}${each.start}`)),
  );
  const isNorthAmerican = (country === 'US' || country === 'CA') && type === 'local';
  if (listed.length > 0 || !isNorthAmerican || !wanted || !isAreaOf(country, wanted)) return listed;
  return [range(country, '1')('local', `${wanted}55501`, 2)];
}

const agree = (one: string, other: string) => one.startsWith(other) || other.startsWith(one);

function isAreaOf(country: string, area: string): boolean {
  const parsed = parsePhoneNumberFromString(`+1${area}5550123`);
  return parsed?.country === country && parsed.getType() === 'FIXED_LINE_OR_MOBILE';
}
