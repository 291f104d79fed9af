import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { atMostEvery } from '../../platform/atMostEvery.ts';
import { SubnetCounts } from '../../platform/limits/SubnetCounts.ts';
import { subnetsOf } from '../../platform/limits/subnets.ts';

export interface ConnectionBounds {
  /** Maximum number of connections to this node. */
  total: number;
  /** Maximum number of connections from one network. */
  perNetwork: number;
}

interface BoundingDeps {
  bounds: ConnectionBounds;
  /** Connections of a trusted proxy are not limited by network, because all clients share its address. */
  isTrustedProxy: (address: string) => boolean;
  log: Logger;
}

const warnEveryMs = 60_000;

/** Refuses connections beyond the limits before anything is read from them. */
export function boundConnections(server: Server, { bounds, isTrustedProxy, log }: BoundingDeps): void {
  const counts = new SubnetCounts(bounds.perNetwork);
  const warn = atMostEvery(warnEveryMs, (from: string | undefined, reason: string) =>
    log.warn({ from, reason, ...bounds }, 'connections refused'),
  );
  server.maxConnections = bounds.total;
  server.on('drop', (dropped?: { remoteAddress?: string }) =>
    warn(dropped?.remoteAddress, 'MAX_CONNECTIONS'),
  );
  const known = new WeakSet<Socket>();
  server.on('connection', (socket: Socket) => {
    // limitUpgrades() hands a connection to the server a second time.
    if (known.has(socket)) return;
    known.add(socket);
    const { remoteAddress = '' } = socket;
    if (isTrustedProxy(remoteAddress)) return;
    const subnets = subnetsOf(remoteAddress);
    if (!counts.hasRoom(subnets)) {
      warn(remoteAddress, 'MAX_CONNECTIONS_PER_NETWORK');
      socket.destroy();
      return;
    }
    counts.enter(subnets);
    socket.once('close', () => counts.leave(subnets));
  });
}

/**
 * The limits from the settings, lowered if the process may open too few files for them. A quarter of the files it may open is kept for
 * other uses.
 */
export function connectionBoundsOf({
  MAX_CONNECTIONS,
  MAX_CONNECTIONS_PER_NETWORK,
}: {
  MAX_CONNECTIONS: number;
  MAX_CONNECTIONS_PER_NETWORK: number;
}): ConnectionBounds {
  const total = Math.max(1, Math.min(MAX_CONNECTIONS, Math.floor(openFilesLimit() * 0.75)));
  return { total, perNetwork: Math.max(1, Math.min(MAX_CONNECTIONS_PER_NETWORK, Math.ceil(total / 2))) };
}

function openFilesLimit(): number {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return limit === undefined ? Infinity : Number(limit);
  } catch {
    // Only Linux has this file.
    return Infinity;
  }
}
