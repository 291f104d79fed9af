import { z } from 'zod';
import type { WireEsimPackage } from '../../sdk/protocol/esim.ts';

/* The parts of Airalo's partner API (https://developers.partners.airalo.com) that are used here. */

const meta = z.object({ last_page: z.int().nullish() }).nullish();

export const token = z.object({ data: z.object({ access_token: z.string(), expires_in: z.number() }) });

const offer = z.object({
  id: z.string(),
  type: z.string(),
  title: z.string(),
  /** Megabytes; 0 for unlimited packages. */
  amount: z.number(),
  day: z.int().positive(),
  is_unlimited: z.boolean().nullish(),
  /** Airalo's retail price in US dollars. */
  price: z.number().positive(),
});
const area = z.object({
  country_code: z.string().nullish(),
  operators: z.array(
    z.object({
      title: z.string(),
      countries: z.array(z.object({ country_code: z.string() })).nullish(),
      packages: z.array(z.unknown()),
    }),
  ),
});
export const packages = z.object({ data: z.array(area), meta });

/**
 * Converts Airalo's packages. Top-ups for existing eSIMs are not sold here, nor are packages that cannot be read (free ones, for example):
 * they must not prevent the sale of the others.
 */
export function packagesOf(
  { country_code: country, operators }: z.output<typeof area>,
  markupPercent: number,
): WireEsimPackage[] {
  return operators.flatMap(({ title, countries, packages: offers }) =>
    offers
      .flatMap((each) => offer.safeParse(each).data ?? [])
      .filter(({ type }) => type === 'sim')
      .map((each) => ({
        id: each.id,
        title: `${title}, ${each.title}`,
        countries: countries?.map(({ country_code: code }) => code) ?? (country ? [country] : []),
        dataMegabytes: each.is_unlimited || each.amount <= 0 ? null : Math.round(each.amount),
        validDays: each.day,
        // Rounded to cents first, because 9.5 × 100 × 1.1 is slightly more than 1045 in floating point.
        credits: Math.ceil((Math.round(each.price * 100) * (100 + markupPercent)) / 100),
        available: true,
      })),
  );
}

const sim = z
  .object({ iccid: z.string(), lpa: z.string().min(1), matching_id: z.string().min(1) })
  .transform(({ iccid, lpa, matching_id: matchingId }) => ({ iccid, smdpAddress: lpa, matchingId }));

/** The answer to a new order, and to a request for an earlier order. */
export const submitted = z.object({ data: z.object({ sims: z.array(sim) }) });

export const orders = z.object({
  data: z.array(
    z.object({
      id: z.int(),
      description: z.string().nullish(),
      quantity: z.union([z.int(), z.string().regex(/^\d+$/)]),
    }),
  ),
  meta,
});

const refusal = z.object({ code: z.int() });

/** The code in the body of an error answer; null if there is none. */
export function codeOf(text: string): number | null {
  try {
    return refusal.safeParse(JSON.parse(text)).data?.code ?? null;
  } catch {
    return null;
  }
}
