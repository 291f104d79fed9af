import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { freePorts } from '../../test/harness/nodes/ports.ts';
import { holdPairs, untilListened } from './udpPorts.ts';

/** Binds a port as a media worker or another process would. */
async function listens(port: number): Promise<boolean> {
  const socket = createSocket('udp4').bind(port, '127.0.0.1');
  const isFree = await once(socket, 'listening').then(
    () => true,
    () => false,
  );
  socket.close();
  return isFree;
}

it('holds port pairs until they are released', async () => {
  const min = await freePorts(8);
  const range = { min, max: min + 7 };
  const one = await holdPairs(2, range);
  for (const port of one.ports) {
    expect(port % 2).toBe(0);
    expect(port >= min && port + 1 <= range.max).toBe(true);
    expect([await listens(port), await listens(port + 1)]).toEqual([false, false]);
  }
  expect(await untilListened(one.ports, 1_000)).toBe(true);
  // At most one more pair is free.
  await expect(holdPairs(2, range)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  await one.release();
  for (const port of one.ports) expect([await listens(port), await listens(port + 1)]).toEqual([true, true]);
  await one.release();
});
