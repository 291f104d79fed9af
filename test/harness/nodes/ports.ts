import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';

/** The range of ports given out. It is below Linux's ephemeral range, so that outgoing connections do not take them. */
const lowest = 21_000;
const highest = 31_000;
/** For media between workers and programs. mediasoup's default range would overlap with the ports that this file gives out. */
export const mediaPorts = { min: 40_000, max: 48_999 };
/** The maximum number of parallel test files (vitest.config.ts). Each has a separate range of ports, so that no two choose the same one. */
export const filesAtATime = 4;
const width = Math.floor((highest - lowest) / filesAtATime);
const own = lowest + (Number(process.env.VITEST_POOL_ID ?? 0) % filesAtATime) * width;
/** Ports given out so far. They stay reserved, because a killed server starts again on the same ports. */
const given = new Set<number>();

/**
 * Finds ports that are free for TCP and UDP on loopback. No port is given out twice.
 * @param apart the distance between neighbouring ports
 * @returns the first port
 */
export async function freePorts(count = 1, apart = 1): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const first = own + Math.floor(Math.random() * (width - (count - 1) * apart));
    const ports = Array.from({ length: count }, (_, index) => first + index * apart);
    if (ports.some((port) => given.has(port))) continue;
    for (const port of ports) given.add(port);
    const free = await Promise.all(ports.flatMap((port) => [isFreeForTcp(port), isFreeForUdp(port)]));
    if (free.every(Boolean)) return first;
  }
  throw new Error(`no ${count} ports, ${apart} apart, are free between ${own} and ${own + width}`);
}

function isFreeForTcp(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
      .once('error', () => resolve(false))
      .listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

function isFreeForUdp(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4')
      .once('error', () => resolve(false))
      .bind(port, '127.0.0.1', () => socket.close(() => resolve(true)));
  });
}
