import { requestMetrics } from '../../platform/metrics/metrics.ts';
import type { ParleyServer } from '../../signaling/socket/RequestContext.ts';

/** Reports how many devices are connected to this node, as metrics. @returns a function that ends this */
export function watchConnections(io: ParleyServer): () => void {
  return requestMetrics.connections.watch(() => {
    const { sockets } = io.of('/');
    let guests = 0;
    for (const { data } of sockets.values()) if (data.session.guest) guests++;
    return [
      { labels: { kind: 'wallet' }, value: sockets.size - guests },
      { labels: { kind: 'guest' }, value: guests },
    ];
  });
}
