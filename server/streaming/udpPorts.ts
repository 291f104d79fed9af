import { createSocket, type Socket } from 'node:dgram';
import { randomInt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { ParleyError } from '../../sdk/protocol/errors.ts';

const attempts = 50;

export interface HeldPairs {
  /** The first port of each pair, which is even. */
  ports: number[];
  /** Call this right before a program binds the ports. From then on any process can take them. */
  release: () => Promise<void>;
}

/** Reserves pairs of ports for RTP and RTCP until they are released. */
export async function holdPairs(
  count: number,
  { min, max }: { min: number; max: number },
): Promise<HeldPairs> {
  const held = new Map<number, Socket[]>();
  const release = async () => {
    await Promise.all([...held.values()].flat().map(close));
    held.clear();
  };
  for (let attempt = 0; attempt < attempts && held.size < count; attempt++) {
    const even = Math.ceil(min / 2) * 2 + 2 * randomInt(Math.max(1, Math.floor((max - min) / 2)));
    const bound = await Promise.all([bind(even), bind(even + 1)]);
    const sockets = bound.filter((socket) => socket !== null);
    if (sockets.length === bound.length) held.set(even, sockets);
    else await Promise.all(sockets.map(close));
  }
  if (held.size === count) return { ports: [...held.keys()], release };
  await release();
  throw new ParleyError(
    'SERVICE_UNAVAILABLE',
    'No media ports are free on this server. Try again in a moment.',
    {
      retryAfter: 5,
    },
  );
}

function bind(port: number): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4')
      .once('error', () => (socket.close(), resolve(null)))
      .bind(port, () => resolve(socket));
  });
}

const close = (socket: Socket) => new Promise<void>((resolve) => socket.close(resolve));

const tables = ['/proc/net/udp', '/proc/net/udp6'];
const lookEveryMs = 20;
/** How long to wait on systems without these tables. */
const usuallyMs = 500;

/**
 * Waits until all these ports are bound on this host.
 * @returns false if the time limit is reached first
 */
export async function untilListened(ports: readonly number[], limitMs: number): Promise<boolean> {
  const deadline = performance.now() + limitMs;
  const wanted = ports.map((port) => `:${port.toString(16).toUpperCase().padStart(4, '0')} `);
  while (performance.now() < deadline) {
    const [table, table6] = await Promise.all(tables.map((path) => readFile(path, 'utf8').catch(() => null)));
    if (table === null || table === undefined) return delay(usuallyMs, true);
    if (wanted.every((port) => table.includes(port) || table6?.includes(port))) return true;
    await delay(lookEveryMs);
  }
  return false;
}
