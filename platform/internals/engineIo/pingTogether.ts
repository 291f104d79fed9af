import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Server } from 'socket.io';
import { every } from '../../every.ts';

/** What Engine.IO does for its pings. Its answer to a pong restarts the timer, if there is one. */
interface PingingConnection {
  pingIntervalTimer: NodeJS.Timeout | null;
  /** Set from a ping until its pong. When it ends, Engine.IO closes the connection. */
  readonly pingTimeoutTimer: NodeJS.Timeout | null;
  sendPacket(type: 'ping'): void;
  resetPingTimeout(): void;
  once(event: 'close', listener: () => void): void;
}

const turnMs = 1_000;
/** The number of pings after which other events are handled. */
const atOnce = 100;

/**
 * Sends the pings of many connections together, once a second. Engine.IO has a timer for each connection, and the process would wake up for
 * each timer and for each answer.
 * @param intervalMs the time between two pings of one connection: some seconds
 * @returns a function that ends it
 */
export function pingTogether({ engine }: Pick<Server, 'engine'>, intervalMs: number): () => void {
  const turns = Array.from({ length: intervalMs / turnMs }, () => new Set<PingingConnection>());
  let turn = 0;
  let lastTurnAt = turnsUntilNow();
  engine.on('connection', (connection: PingingConnection) => {
    if (!connection.pingIntervalTimer) return;
    clearTimeout(connection.pingIntervalTimer);
    connection.pingIntervalTimer = null;
    // It was this turn's last moment, so its first ping comes almost an interval later.
    const connections = turns[turn];
    connections?.add(connection);
    connection.once('close', () => connections?.delete(connection));
  });
  return every(turnMs, () => {
    const now = turnsUntilNow();
    // A process that stood still has missed turns. It catches up, because clients close a connection without pings.
    const missed = Math.min(now - lastTurnAt, turns.length);
    lastTurnAt = now;
    for (let count = 0; count < missed; count++) {
      turn = (turn + 1) % turns.length;
      void pingAll(turns[turn] ?? new Set());
    }
  });
}

/** The turns until now, by the clock of every(), whose runs may be early by a fraction of a millisecond. */
const turnsUntilNow = () => Math.floor((performance.now() + 1) / turnMs);

async function pingAll(connections: Set<PingingConnection>): Promise<void> {
  let count = 0;
  for (const connection of connections) {
    if (count++ % atOnce === atOnce - 1) await nextTurn();
    if (connection.pingTimeoutTimer) continue;
    connection.sendPacket('ping');
    connection.resetPingTimeout();
  }
}
