import { coalesced } from '@parley/react';
import type { QueryClient } from '@tanstack/react-query';
import type { Subject } from './createQueries.ts';

const refreshes = new WeakMap<QueryClient, Map<Subject, () => Promise<void>>>();

/**
 * Reads the shown data of these subjects again, and marks the rest as out of date. Calls during a read share one further read. A read that
 * is already running is not cancelled, because it may be that of a next page.
 */
export async function refresh(queryClient: QueryClient, ...subjects: Subject[]): Promise<void> {
  const known = refreshes.get(queryClient) ?? new Map<Subject, () => Promise<void>>();
  refreshes.set(queryClient, known);
  await Promise.all(
    subjects.map((subject) => {
      const run = known.get(subject) ?? coalesced(() => readAgain(queryClient, subject));
      known.set(subject, run);
      return run();
    }),
  );
}

async function readAgain(queryClient: QueryClient, subject: Subject): Promise<void> {
  const queryKey = [subject];
  const running = queryClient.getQueryCache().findAll({ queryKey, fetchStatus: 'fetching' });
  await Promise.allSettled(running.map(async ({ promise }) => promise));
  await queryClient.invalidateQueries({ queryKey }, { cancelRefetch: false });
}
