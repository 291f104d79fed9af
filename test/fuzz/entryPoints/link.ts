import { once } from 'node:events';
import { get } from 'node:https';
import { createConnection, createServer, type AddressInfo, type Socket } from 'node:net';
import { linkAgent } from '../../../media/cluster/linkTls.ts';
import { shown, type OpenEntryPoint, type Outcome } from '../EntryPoint.ts';
import { mutateBytes, type Random } from '../mutate.ts';
import { sendRaw } from './raw.ts';
import { onlyKey } from '../../../platform/keys.ts';

/**
 * Attacks the port on which a node accepts media links from other nodes of its cluster. Connections begin with a TLS handshake that needs a
 * key which only nodes have, so an attacker who reaches the port must fail at the handshake.
 */
export const linkEntry: OpenEntryPoint = async ({ server: { ports } }) => {
  const port = ports.clusterPort;
  const hello = await helloOf();
  return {
    send(random) {
      if (random.chance(0.3)) return sendRaw(port, random);
      if (random.chance(0.6)) return sendRaw(port, random, mutateBytes(random, hello));
      return askWithAnotherKey(port, random);
    },
    async check() {
      const socket = createConnection({ port, host: '127.0.0.1' });
      await once(socket, 'connect');
      socket.destroy();
    },
    close: () => Promise.resolve(),
  };
};

/** Records the TLS ClientHello with which a node opens a link. */
async function helloOf(): Promise<Buffer> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const request = get({ host: '127.0.0.1', port, agent: linkAgent(onlyKey(Buffer.alloc(32))) });
  request.on('error', () => undefined);
  const [socket] = (await once(server, 'connection')) as [Socket];
  const [hello] = (await once(socket, 'data')) as [Buffer];
  request.destroy();
  socket.destroy();
  server.close();
  return hello;
}

function askWithAnotherKey(port: number, random: Random): Promise<Outcome> {
  const agent = linkAgent(onlyKey(random.bytes(32)));
  const path = '/links/?EIO=4&transport=websocket';
  return new Promise((resolve) => {
    get({ host: '127.0.0.1', port, path, agent }, ({ statusCode }) =>
      resolve({ kind: 'accepted', fault: shown(`a client without the key got an answer: ${statusCode}`) }),
    ).on('error', () => resolve({ kind: 'refused' }));
  });
}
