import pg from 'pg';
import type { PrivateKeyAccount } from 'viem';
import type { SessionStorage } from '../../../sdk/src/types.ts';
import { ServerProcess, type Settings } from './ServerProcess.ts';
import { TestClient } from '../clients/TestClient.ts';
import { createToken, TestGuest, type Token, type WantedToken } from '../clients/TestGuest.ts';

/** The installation a scenario runs against: a single server (OneNode) or several (Cluster). */
export interface Harness {
  /** The URL of the server, or of the load balancer. */
  url(): string;
  /** Signs in a new wallet. With `account`: another device of that wallet. With its `storage`: the same device again. */
  client(account?: PrivateKeyAccount, storage?: SessionStorage): Promise<TestClient>;
  /** Creates a participant token for a room. */
  token(roomId: string, wanted: WantedToken): Promise<Token>;
  /** Connects a guest with this token. @param url of a proxy before the server. @default url() */
  guest(token: Token, url?: string): TestGuest;
  /** For what no request does. */
  query(text: string, values?: unknown[]): Promise<void>;
  close(): Promise<void>;
}

/** The part of a harness that is about guests. */
export function guestsOf(url: () => string, database: pg.ClientConfig) {
  const guests: TestGuest[] = [];
  return {
    token: (roomId: string, wanted: WantedToken) => createToken(database, roomId, wanted),
    guest(token: Token, at = url()): TestGuest {
      const guest = new TestGuest(at, token);
      guests.push(guest);
      return guest;
    },
    async query(text: string, values: unknown[] = []): Promise<void> {
      const client = new pg.Client(database);
      await client.connect();
      try {
        await client.query(text, values);
      } finally {
        await client.end();
      }
    },
    closeGuests: () => guests.forEach((guest) => guest.close()),
  };
}

export interface OneNode extends Harness {
  server: ServerProcess;
}

export async function oneNode(settings: Settings = {}): Promise<OneNode> {
  const server = await ServerProcess.start(settings);
  const clients: TestClient[] = [];
  const { closeGuests, ...guests } = guestsOf(() => server.url, server.database);
  return {
    ...guests,
    server,
    url: () => server.url,
    async client(account, storage) {
      const client = await TestClient.signIn(server.url, account, storage);
      clients.push(client);
      return client;
    },
    async close() {
      closeGuests();
      for (const client of clients) client.close();
      await server.dispose();
    },
  };
}
