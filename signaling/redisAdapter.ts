import { createAdapter } from '@socket.io/redis-streams-adapter';
import type { Adapter } from './createIo.ts';

/** Events that are kept for nodes which read late, about. */
const keptEvents = 10_000;

/**
 * Carries events between nodes through a Redis stream. Whoever is connected to this node is told at once: without this, a
 * device here would wait for Redis, and hear nothing while it is away.
 */
export function redisAdapter(client: Parameters<typeof createAdapter>[0]): Adapter {
  const create = createAdapter(client, {
    streamName: 'parley:events',
    channelPrefix: 'parley:events',
    maxLen: keptEvents,
    // All that is sent is plain JSON.
    onlyPlaintext: true,
  });
  // Socket.IO calls it with `new`.
  return function (namespace: unknown) {
    const adapter = create(namespace) as unknown as Publishing;
    const publish = adapter.publishAndReturnOffset.bind(adapter);
    adapter.publishAndReturnOffset = (message) => {
      // What gets lost while Redis is away, devices find out by `session:missed`.
      publish(message).catch(() => undefined);
      return Promise.resolve('');
    };
    return adapter;
  } as unknown as Adapter;
}

interface Publishing {
  publishAndReturnOffset(message: unknown): Promise<string>;
}
