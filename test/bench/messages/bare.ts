import pg from 'pg';
import { newId } from '../../../sdk/protocol/ids.ts';
import type { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { newWallet } from '../../integration/support.ts';
import { startBareServer } from '../bareServer.ts';
import { cpuTimeOf } from '../cpuTime.ts';
import { cpuByProcess } from '../rooms/processes.ts';
import { connections, insertInto } from '../bare/insert.ts';
import { LightSocket } from './LightSocket.ts';
import { Arrivals, content, pairs, type Transport } from './Transport.ts';

/** The CPU time of Parley's PostgreSQL, which stores the rows of the baselines too. */
const databaseOf = (server: ServerProcess): number =>
  cpuByProcess(server.pid).reduce((sum, { kind, ms }) => sum + (kind === 'postgres' ? ms : 0), 0);

/** Socket.IO relays each message and acknowledges it. It stores nothing. */
export const relay = () => socketIo('bare Socket.IO', null);

/** Socket.IO inserts each message as a row of one statement and one commit, then relays and acknowledges it. */
export const storingRelay = (server: ServerProcess) => socketIo('Socket.IO that inserts', server);

async function socketIo(name: string, database: ServerProcess | null): Promise<Transport> {
  const bare = await startBareServer('relay', ...(database ? [JSON.stringify(database.database)] : []));
  const arrivals = new Arrivals();
  const sockets = await Promise.all(
    Array.from({ length: pairs * 2 }, async (): Promise<Sender> => {
      const wallet = newWallet().address;
      const socket = await LightSocket.connect(bare.url, { wallet }, 'message', (id) => arrivals.arrived(id));
      return { socket, wallet };
    }),
  );
  return {
    name,
    async carry(index) {
      const { socket, wallet: from } = sockets[(index * 2) % sockets.length] as Sender;
      const { wallet: to } = sockets[(index * 2 + 1) % sockets.length] as Sender;
      const id = newId('msg');
      const arrived = arrivals.of(id);
      await socket.ask('send', { id, from, to, content, type: 'text' });
      await arrived;
    },
    cpu: () => ({ server: cpuTimeOf([bare.pid]), database: database ? databaseOf(database) : 0 }),
    close() {
      sockets.forEach(({ socket }) => socket.close());
      bare.stop();
    },
  };
}

interface Sender {
  socket: LightSocket;
  wallet: string;
}

/** Only stores a message, in the simplest way: one row, one statement, one commit. There is no server: this process inserts. */
export async function inserts(server: ServerProcess): Promise<Transport> {
  const pool = new pg.Pool({ ...server.database, max: connections });
  pool.on('error', () => {});
  const insert = await insertInto(pool, 'bare_messages');
  const people = Array.from({ length: pairs * 2 }, () => newWallet().address);
  return {
    name: 'bare inserts',
    carry: (index) =>
      insert({
        id: newId('msg'),
        from: people[(index * 2) % people.length] ?? '',
        to: people[(index * 2 + 1) % people.length] ?? '',
        type: 'text',
        content,
      }),
    cpu: () => ({ server: 0, database: databaseOf(server) }),
    close: () => pool.end(),
  };
}
