import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';

/** Below Linux's ephemeral range, so that no outgoing connection takes one meanwhile. */
const lowest = 21_000;
const highest = 31_000;

/** The first of some ports that are free for TCP and UDP on loopback: neighbours, or so far apart. */
export async function freePorts(count = 1, apart = 1): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const first = lowest + Math.floor(Math.random() * (highest - lowest - count * apart));
    const ports = Array.from({ length: count }, (_, index) => first + index * apart);
    const free = await Promise.all(ports.flatMap((port) => [isFreeForTcp(port), isFreeForUdp(port)]));
    if (free.every(Boolean)) return first;
  }
  throw new Error(`no ${count} ports, ${apart} apart, are free between ${lowest} and ${highest}`);
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
