import { and, count, eq, inArray, isNull } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.ts';
import { requestMetrics, systemMetrics, usageMetrics } from '../../platform/metrics/metrics.ts';
import type { RedisClient } from '../../platform/redis.ts';
import { calls } from '../../signaling/calls/tables.ts';
import { rooms } from '../../signaling/conference/tables.ts';
import type { ParleyServer } from '../../signaling/socket/RequestContext.ts';
import { streams } from '../../signaling/streaming/tables.ts';

interface Watched {
  db: Database;
  io: ParleyServer;
  /** Null for a single node. */
  redis: RedisClient | null;
}

/** Reports the devices of this node, and what the whole cluster does, as metrics. @returns a function that ends this */
export function watchServer({ db, io, redis }: Watched): () => void {
  const unwatch = [
    requestMetrics.connections.watch(() => devicesOf(io)),
    usageMetrics.calls.watch(() => callsIn(db)),
    usageMetrics.rooms.watch(async () => [{ value: await db.$count(rooms, isNull(rooms.endedAt)) }]),
    usageMetrics.streams.watch(async () => [
      { value: await db.$count(streams, and(isNull(streams.endedAt), eq(streams.status, 'live'))) },
    ]),
    systemMetrics.redis.watch(() => (redis ? [{ value: Number(redis.isReady) }] : [])),
  ];
  return () => unwatch.forEach((end) => end());
}

function devicesOf(io: ParleyServer) {
  const { sockets } = io.of('/');
  let guests = 0;
  for (const { data } of sockets.values()) if (data.session.guest) guests++;
  return [
    { labels: { kind: 'wallet' }, value: sockets.size - guests },
    { labels: { kind: 'guest' }, value: guests },
  ];
}

async function callsIn(db: Database) {
  const states = ['ringing', 'active'] as const;
  const rows = await db
    .select({ state: calls.status, value: count() })
    .from(calls)
    .where(inArray(calls.status, [...states]))
    .groupBy(calls.status);
  return states.map((state) => ({
    labels: { state },
    value: rows.find((row) => row.state === state)?.value ?? 0,
  }));
}
