import type { PrivateKeyAccount } from 'viem';
import type { SessionStorage } from '../../sdk/src/types.ts';
import { ServerProcess, type Settings } from './ServerProcess.ts';
import { TestClient } from './TestClient.ts';

/** What a scenario is run against: one server here; another kind of installation gives the same. */
export interface Harness {
  /** The address of a node: the next one, where there are several. */
  url(): string;
  /** A signed-in wallet; given an account, another device of it; given its storage, that device again. */
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
