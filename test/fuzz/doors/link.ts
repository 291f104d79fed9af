import { once } from 'node:events';
import { createConnection } from 'node:net';
import type { OpenDoor } from '../Door.ts';
import { converse, connectPacket } from './frames.ts';
import { sendRaw } from './raw.ts';

/**
 * The port where other nodes of a cluster link to this one. A node proves itself in the handshake, by a token that SECRET_KEY signs:
 * a stranger who reaches the port gets this far, and no further.
 */
export const linkDoor: OpenDoor = ({ server: { ports } }) =>
  Promise.resolve({
    async send(random) {
      if (random.chance(0.3)) return sendRaw(ports.clusterPort, random);
      const auth = { token: unsigned, to: 'node_000000000000000000000000' };
      const outcome = await converse(
        `http://127.0.0.1:${ports.clusterPort}/links/`,
        connectPacket(random, auth),
        random,
      );
      const isIn = outcome.kind === 'answered afterwards';
      return isIn ? { ...outcome, fault: 'a stranger is answered' } : outcome;
    },
    async check() {
      const socket = createConnection({ port: ports.clusterPort, host: '127.0.0.1' });
      await once(socket, 'connect');
      socket.destroy();
    },
    close: () => Promise.resolve(),
  });

/** Of no key. */
const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from('{"sub":"node_1"}').toString('base64url')}.`;
