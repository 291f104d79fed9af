import type { NumberType } from '../../sdk/protocol/numbers.ts';
import { segmentsOf } from '../../sdk/protocol/segments.ts';
import type { Price } from '../http/Route.ts';

/* Prices in credits. One credit is one US cent. */

/** Credits per segment by destination country. SMS_PRICES can override the price of each country. */
const textRates: Record<string, number> = {
  US: 2,
  CA: 2,
  GB: 5,
  GG: 5,
  JE: 5,
  IM: 5,
  IE: 8,
  DE: 10,
  AT: 9,
  CH: 8,
  FR: 8,
  BE: 9,
  NL: 10,
  LU: 8,
  ES: 8,
  PT: 6,
  IT: 9,
  DK: 6,
  SE: 6,
  NO: 7,
  FI: 8,
  PL: 5,
  CZ: 6,
  AU: 6,
  NZ: 9,
  JP: 8,
};
const textRateElsewhere = 15;

/**
 * Returns the credits per segment.
 * @param changed the prices in SMS_PRICES; `*` stands for all countries that it does not list
 */
export function textRate(country: string | null, changed: Record<string, number>): number {
  const byDefault = textRates[country ?? ''] ?? textRateElsewhere;
  return changed[country ?? ''] ?? changed['*'] ?? byDefault;
}

export const textPrice = {
  service: 'sms',
  credits: 2,
  unit: 'segment',
  units: ({ message }: { message: string }) => segmentsOf(message).segments,
};

/** A text with media is one MMS and costs three segments, regardless of its length. */
export const messagePrice = {
  ...textPrice,
  units: ({ message, mediaUrls }: { message: string; mediaUrls?: string[] | undefined }) =>
    mediaUrls?.length ? 3 : segmentsOf(message).segments,
};

/** Credits per month and number. */
export const monthlyCredits: Record<NumberType, number> = { local: 200, mobile: 400, toll_free: 400 };

export const numberPrice = { service: 'numbers', credits: monthlyCredits.local, unit: 'month' };
export const renewalPrice = {
  ...numberPrice,
  units: ({ months }: { months?: number | undefined }) => months ?? 1,
};

export const lookupPrice: Price<unknown> = { service: 'lookup', credits: 1, unit: 'lookup' };
export const leakSearchPrice: Price<unknown> = { service: 'leaksearch', credits: 10, unit: 'search' };
/** The actual price of each eSIM is in the catalogue. A dry run costs nothing. */
export const esimPrice: Price<{ quantity: number; dryRun: boolean }> = {
  service: 'esim',
  credits: 100,
  unit: 'eSIM',
  units: ({ quantity, dryRun }) => (dryRun ? 0 : quantity),
};
export const verificationPrice: Price<unknown> = { service: 'verifications', credits: 5, unit: 'code' };
export const xmppPrice: Price<unknown> = { service: 'xmpp', credits: 100, unit: 'account' };
