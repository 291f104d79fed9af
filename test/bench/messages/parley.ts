import { newId } from '../../../sdk/protocol/ids.ts';
import { protocolVersion } from '../../../sdk/protocol/version.ts';
import type { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { newWallet, signIn } from '../../integration/support.ts';
import { cpuByProcess } from '../rooms/processes.ts';
import { LightSocket } from './LightSocket.ts';
import { Arrivals, content, pairs, type Transport } from './Transport.ts';

/** The interval at which a client acknowledges the messages it has received, all together like the SDK. */
const acknowledgeEveryMs = 100;

/** The settings of a server whose limits do not stop the benchmark. */
export const unlimited = {
  LOG_LEVEL: 'info',
  RATE_LIMIT_REALTIME: '100000000',
  RATE_LIMIT_MESSAGES: '100000000',
};

interface Person {
  socket: LightSocket;
  address: string;
  close: () => void;
}

/** Messages of Parley: stored with their events, then acknowledged and delivered. Recipients send receipts like the SDK. */
export async function parley(server: ServerProcess): Promise<Transport> {
  const arrivals = new Arrivals();
  const people = await Promise.all(Array.from({ length: pairs * 2 }, () => person(server.url, arrivals)));
  return {
    name: 'parley',
    async carry(index) {
      const { socket } = people[(index * 2) % people.length] as Person;
      const { address: to } = people[(index * 2 + 1) % people.length] as Person;
      const id = newId('msg');
      const arrived = arrivals.of(id);
      const answer = await socket.ask('messages.send', { id, to, content, type: 'text' });
      if (!answer.startsWith('[{"ok":true')) throw new Error(answer);
      await arrived;
    },
    cpu() {
      const used = cpuByProcess(server.pid);
      const of = (wanted: string) =>
        used.filter(({ kind }) => kind === wanted).reduce((sum, { ms }) => sum + ms, 0);
      return { server: of('node'), database: of('postgres') };
    },
    close: () => people.forEach(({ close }) => close()),
  };
}

async function person(url: string, arrivals: Arrivals): Promise<Person> {
  const account = newWallet();
  const { token } = await signIn(url, account);
  let newest: string | null = null;
  const socket = await LightSocket.connect(url, { token, protocolVersion }, 'message:received', (id) => {
    newest = id;
    arrivals.arrived(id);
  });
  const acknowledging = setInterval(() => {
    if (newest) void socket.ask('messages.acknowledge', { messageIds: [newest] });
    newest = null;
  }, acknowledgeEveryMs);
  const close = () => {
    clearInterval(acknowledging);
    socket.close();
  };
  return { socket, address: account.address, close };
}
