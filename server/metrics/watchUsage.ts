import { and, inArray, isNull, eq, count } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.ts';
import { usageMetrics } from '../../platform/metrics/metrics.ts';
import { calls } from '../../signaling/calls/tables.ts';
import { rooms } from '../../signaling/conference/tables.ts';
import { streams } from '../../signaling/streaming/tables.ts';

/** Reports how many calls, rooms and streams the whole cluster has, as metrics. @returns a function that ends this */
export function watchUsage(db: Database): () => void {
  const unwatch = [
    usageMetrics.calls.watch(async () => {
      const states = ['ringing', 'active'] as const;
      const rows = await db
        .select({ state: calls.status, value: count() })
        .from(calls)
        .where(inArray(calls.status, [...states]))
        .groupBy(calls.status);
      const valueOf = (state: string) => rows.find((row) => row.state === state)?.value ?? 0;
      return states.map((state) => ({ labels: { state }, value: valueOf(state) }));
    }),
    usageMetrics.rooms.watch(async () => [{ value: await db.$count(rooms, isNull(rooms.endedAt)) }]),
    usageMetrics.streams.watch(async () => [
      { value: await db.$count(streams, and(isNull(streams.endedAt), eq(streams.status, 'live'))) },
    ]),
  ];
  return () => unwatch.forEach((end) => end());
}
