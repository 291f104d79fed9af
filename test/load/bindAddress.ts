import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIP } from 'node:net';
import { isOnThisMachine } from './allowed.ts';
import { UsageError, type Options } from './options.ts';

/**
 * The local address of media; null for all. The library for media ends the process if it cannot use the address.
 * @throws UsageError if --bind is no address of this machine
 */
export async function bindAddressOf({ bind, server }: Options): Promise<string | null> {
  if (bind === undefined) return (await isOnThisMachine(server)) ? '127.0.0.1' : null;
  const version = isIP(bind);
  const socket = createSocket(version === 6 ? 'udp6' : 'udp4');
  try {
    if (version === 0) throw new Error('not an IP address');
    await once(socket.bind(0, bind), 'listening');
  } catch (error) {
    throw new UsageError(`--bind must be an IP address of this machine, not ${bind}.`, { cause: error });
  } finally {
    socket.close();
  }
  return bind;
}
