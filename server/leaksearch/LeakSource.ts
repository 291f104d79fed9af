import type { LeakQueryType, WireFoundLeaks } from '../../sdk/protocol/leaksearch.ts';

/** A breach, as it is shown in search results. */
export type Breach = WireFoundLeaks['results'][number];

export interface FoundLeaks {
  /** The total number, even if `results` contains fewer. */
  total: number;
  results: Breach[];
}

/** The port that every source implements (the local index, Have I Been Pwned). */
export interface LeakSource {
  /**
   * @param query as normalised by normaliseQuery(); it must not be logged
   * @returns for `password_sha1_prefix`, one result per password of the range, with the rest of its SHA-1 as `title`
   */
  search(type: LeakQueryType, query: string): Promise<FoundLeaks>;
}

/** One leaked password of a range, in the format of a breach. */
export const leakedPassword = (suffix: string, count: number): Breach => ({
  source: 'pwned-passwords',
  title: suffix.toUpperCase(),
  domain: null,
  breachDate: null,
  dataClasses: ['Passwords'],
  verified: true,
  records: count,
});
