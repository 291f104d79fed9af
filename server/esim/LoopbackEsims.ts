import { createHmac } from 'node:crypto';
import type { WireEsimPackage } from '../../sdk/protocol/esim.ts';
import { luhnDigit } from './activation.ts';
import type { EsimProfile, EsimProvider, EsimPurchase } from './EsimProvider.ts';

const europe = [
  'AT',
  'BE',
  'CH',
  'DE',
  'DK',
  'ES',
  'FI',
  'FR',
  'GB',
  'IE',
  'IT',
  'NL',
  'NO',
  'PL',
  'PT',
  'SE',
];

const offered = (
  id: string,
  title: string,
  countries: string[],
  plan: Pick<WireEsimPackage, 'dataMegabytes' | 'validDays' | 'credits'>,
  available = true,
): WireEsimPackage => ({ id, title, countries, ...plan, available });

const catalogue: WireEsimPackage[] = [
  offered('eu-1gb', 'Europe, 1 GB', europe, { dataMegabytes: 1_024, validDays: 7, credits: 450 }),
  offered('eu-5gb', 'Europe, 5 GB', europe, { dataMegabytes: 5_120, validDays: 30, credits: 1_400 }),
  offered('us-1gb', 'United States, 1 GB', ['US'], { dataMegabytes: 1_024, validDays: 7, credits: 400 }),
  offered('us-unlimited', 'United States, no limit', ['US'], {
    dataMegabytes: null,
    validDays: 10,
    credits: 2_900,
  }),
  offered('jp-3gb', 'Japan, 3 GB', ['JP'], { dataMegabytes: 3_072, validDays: 30, credits: 850 }),
  // Always sold out, so that applications can test this case.
  offered(
    'aq-1gb',
    'Antarctica, 1 GB',
    ['AQ'],
    { dataMegabytes: 1_024, validDays: 7, credits: 9_900 },
    false,
  ),
];

/** A host name reserved for documentation, at which no phone can find an eSIM. */
const smdpAddress = 'smdp.loopback.example';
const codeLetters = '0123456789ABCDEFGHJKLMNPQRSTUVWXYZ';

/** A provider for tests. Its profiles have the real format, and are derived from the reference of the order. */
export class LoopbackEsims implements EsimProvider {
  readonly name = 'loopback';
  readonly #key: Buffer;

  constructor(key: Buffer) {
    this.#key = key;
  }

  packages(): Promise<WireEsimPackage[]> {
    return Promise.resolve(catalogue);
  }

  order({ reference, quantity }: EsimPurchase): Promise<EsimProfile[]> {
    return Promise.resolve(Array.from({ length: quantity }, (_, index) => this.#profile(reference, index)));
  }

  /** This provider stores no orders. Nothing is lost with an unfinished order, because nothing was paid for it. */
  find(): Promise<null> {
    return Promise.resolve(null);
  }

  #profile(reference: string, index: number): EsimProfile {
    const bytes = createHmac('sha256', this.#key).update(`${reference}/${index}`).digest();
    // 89: telecommunications; 999: not assigned to any country; 01: this issuer.
    const account = String(bytes.readUIntBE(0, 6) % 10 ** 11).padStart(11, '0');
    const digits = `8999901${account}`;
    const letters = [...bytes.subarray(6, 26)].map((byte) => codeLetters.charAt(byte % codeLetters.length));
    const matchingId = [0, 5, 10, 15].map((at) => letters.slice(at, at + 5).join('')).join('-');
    return { iccid: digits + luhnDigit(digits), smdpAddress, matchingId };
  }
}
