import { newId } from '../../../sdk/protocol/ids.ts';
import { archiveTables, Ejabberd } from '../../harness/services/Ejabberd.ts';
import { cpuTimeOf } from '../cpuTime.ts';
import { TcpPostgres } from './TcpPostgres.ts';
import { Arrivals, content, pairs, type Transport } from './Transport.ts';
import { XmppClient } from './XmppClient.ts';

const password = 'password of a device';

/** Debian's ejabberd, which archives each message for both users in PostgreSQL (XEP-0313), and acknowledges stanzas (XEP-0198). */
export async function archivingEjabberd(): Promise<Transport> {
  const postgres = await TcpPostgres.start();
  await postgres.pool.query(await archiveTables());
  const server = await Ejabberd.start(postgres);
  const arrivals = new Arrivals();
  const { domain, port } = server;
  const clients: XmppClient[] = [];
  for (let index = 0; index < pairs * 2; index++) {
    const user = `user${index}`;
    const [status] = await server.call('register', { user, host: domain, password });
    if (status !== 200) throw new Error(`ejabberd did not register ${user}: ${status}`);
    clients.push(await XmppClient.connect(port, { user, domain, password }, arrivals));
  }
  let carried = 0;
  return {
    name: 'ejabberd',
    async carry(index) {
      const from = clients[(index * 2) % clients.length] as XmppClient;
      const to = clients[(index * 2 + 1) % clients.length] as XmppClient;
      const id = newId('msg');
      const arrived = arrivals.of(id);
      await from.send(to.jid, id, content);
      await arrived;
      carried++;
    },
    cpu: () => ({ server: cpuTimeOf([server.pid]), database: postgres.cpu() }),
    async close() {
      for (const client of clients) client.close();
      const { rows } = await postgres.pool.query<{ count: string }>('SELECT count(*) FROM archive');
      await server.dispose();
      await postgres.dispose();
      // One row for the sender and one for the recipient.
      if (Number(rows[0]?.count) !== carried * 2)
        throw new Error(`ejabberd archived ${rows[0]?.count} rows of ${carried} messages`);
    },
  };
}
