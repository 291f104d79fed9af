import type { PrivateKeyAccount } from 'viem';
import type { SessionStorage } from '../../../sdk/src/types.ts';
import { ServerProcess, type Settings } from './ServerProcess.ts';
import { TestClient } from '../clients/TestClient.ts';

/** The installation a scenario runs against: a single server (OneNode) or several (Cluster). */
export interface Harness {
  /** The URL of the server, or of the load balancer. */
  url(): string;
  /** Signs in a new wallet. With `account`: another device of that wallet. With its `storage`: the same device again. */
  client(account?: PrivateKeyAccount, storage?: SessionStorage): Promise<TestClient>;
  close(): Promise<void>;
}

export interface OneNode extends Harness {
  server: ServerProcess;
}

export async function oneNode(settings: Settings = {}): Promise<OneNode> {
  const server = await ServerProcess.start(settings);
  const clients: TestClient[] = [];
  return {
    server,
    url: () => server.url,
    async client(account, storage) {
      const client = await TestClient.signIn(server.url, account, storage);
      clients.push(client);
      return client;
    },
    async close() {
      for (const client of clients) client.close();
      await server.dispose();
    },
  };
}
