import { createSocket } from 'node:dgram';
import { randomInt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { ParleyError } from '../../sdk/protocol/errors.ts';

const attempts = 50;

/** Pairs of free ports, for RTP and RTCP: the first of each, which is even. They are free in this moment, and who takes one has it. */
export async function freePairs(
  count: number,
  { min, max }: { min: number; max: number },
): Promise<number[]> {
  const found = new Set<number>();
  for (let attempt = 0; attempt < attempts && found.size < count; attempt++) {
    const even = Math.ceil(min / 2) * 2 + 2 * randomInt(Math.max(1, Math.floor((max - min) / 2)));
    if (found.has(even)) continue;
    const free = await Promise.all([isFree(even), isFree(even + 1)]);
    if (free.every(Boolean)) found.add(even);
  }
  if (found.size === count) return [...found];
  throw new ParleyError('SERVICE_UNAVAILABLE', 'No ports for media are free: try again in a moment.', {
    retryAfter: 5,
  });
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4')
      .once('error', () => (socket.close(), resolve(false)))
      .bind(port, () => socket.close(() => resolve(true)));
  });
}

const tables = ['/proc/net/udp', '/proc/net/udp6'];
const lookEveryMs = 20;
/** Where the system can't be asked, this is long enough. */
const usuallyMs = 500;

/** Waits until somebody on this host listens at all these ports. @returns false when nobody does within the limit */
export async function untilListened(ports: readonly number[], limitMs: number): Promise<boolean> {
  const deadline = Date.now() + limitMs;
  const wanted = ports.map((port) => `:${port.toString(16).toUpperCase().padStart(4, '0')} `);
  while (Date.now() < deadline) {
    const [table, table6] = await Promise.all(tables.map((path) => readFile(path, 'utf8').catch(() => null)));
    if (table === null || table === undefined) return delay(usuallyMs, true);
    if (wanted.every((port) => table.includes(port) || table6?.includes(port))) return true;
    await delay(lookEveryMs);
  }
  return false;
}
