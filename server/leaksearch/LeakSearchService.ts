import type { z } from 'zod';
import type { searchLeaks, WireFoundLeaks } from '../../sdk/protocol/leaksearch.ts';

type Search = z.output<typeof searchLeaks>;
export interface LeakSearchService {
  search(body: Search): Promise<WireFoundLeaks>;
  searchOnQuota(accountId: string, body: Search): Promise<WireFoundLeaks>;
}
