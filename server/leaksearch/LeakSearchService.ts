import type { z } from 'zod';
import { toIso } from '../../sdk/protocol/common.ts';
import type { searchLeaks, WireFoundLeaks } from '../../sdk/protocol/leaksearch.ts';
import type { LeakQuota } from './LeakQuota.ts';
import type { LeakSource } from './LeakSource.ts';
import { maskQuery, normaliseQuery } from './query.ts';

type Search = z.output<typeof searchLeaks>;

/** Finds the breaches that an identifier appears in. The query is neither stored nor logged, and it is masked in the answer. */
export class LeakSearchService {
  readonly #deps: { source: LeakSource; quota: LeakQuota };

  constructor(deps: { source: LeakSource; quota: LeakQuota }) {
    this.#deps = deps;
  }

  async search({ type, query: rawQuery }: Search): Promise<WireFoundLeaks> {
    const query = normaliseQuery(type, rawQuery);
    const { total, results } = await this.#deps.source.search(type, query);
    return {
      query: { type, masked: maskQuery(type, query) },
      found: total > 0,
      total,
      results,
      searchedAt: toIso(new Date()),
    };
  }

  /** @throws ParleyError quota_exceeded */
  async searchOnQuota(accountId: string, search: Search): Promise<WireFoundLeaks> {
    const returnSearch = await this.#deps.quota.take(accountId);
    try {
      return await this.search(search);
    } catch (error) {
      await returnSearch();
      throw error;
    }
  }
}
