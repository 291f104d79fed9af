import type { Socket } from 'socket.io-client';
import type { PrivateKeyAccount } from 'viem';
import type { OneNode } from '../../harness/nodes/Harness.ts';
import type { PushService, BrowserSubscription } from '../../harness/services/PushService.ts';
import type { TestClient } from '../../harness/clients/TestClient.ts';
import { until } from '../../harness/until.ts';
import type { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { queryDatabase } from '../money/accountSupport.ts';
import { connected, send } from '../support.ts';

/** A wallet's browser, connected or not, without the SDK, so it never sends anything by itself. */
export class Device {
  readonly #url: string;
  readonly #token: string;
  readonly subscription: BrowserSubscription;

  /** Registers a new subscription with the session of the client. */
  static async register(url: string, client: TestClient, service: PushService): Promise<Device> {
    const token = client.parley.session?.token ?? '';
    const socket = await connected(url, token);
    const { publicKey } = (await ask(socket, 'notifications.getServerKey', {})) as { publicKey: string };
    const device = new Device(url, token, service.subscribe(publicKey));
    await ask(socket, 'notifications.register', device.subscription.target);
    socket.disconnect();
    return device;
  }

  private constructor(url: string, token: string, subscription: BrowserSubscription) {
    this.#url = url;
    this.#token = token;
    this.subscription = subscription;
  }

  /**
   * Connects without ever confirming an event, like a frozen browser. Resolves once the server has counted the connection.
   *
   * @param log Returns the server's log.
   */
  async connect(log: () => string): Promise<Socket> {
    const socket = await connected(this.#url, this.#token);
    const counted = new RegExp(`"${socket.id}".*"connection counted"`);
    await until(() => counted.test(log()), 'the connection is counted');
    return socket;
  }
}

/** Opens the app of a wallet that is away. Resolves once the server has counted its connection, so that pushes wait for it. */
export async function openApp(harness: OneNode, account: PrivateKeyAccount): Promise<TestClient> {
  const isCounted = async () => {
    const found = 'SELECT FROM push_presence WHERE lower(wallet) = lower($1)';
    return (await queryDatabase(harness.server, found, [account.address])).length > 0;
  };
  await until(async () => !(await isCounted()), 'the wallet is away');
  const app = await harness.client(account);
  await until(isCounted, 'the connection is counted');
  return app;
}

/** For a push that its service has refused for now: waits for that attempt, and has the next one made at once. */
export function retryOf(server: () => ServerProcess) {
  const ofSubject = `kind = 'push' AND subject LIKE '%' || $1`;
  return {
    tried: (subject: string) =>
      until(async () => {
        const found = `SELECT FROM due WHERE ${ofSubject} AND payload ? 'attempts' AND lease_until IS NULL`;
        return (await queryDatabase(server(), found, [subject])).length > 0;
      }, 'an attempt'),
    tryAgain: (subject: string) =>
      queryDatabase(server(), `UPDATE due SET due_at = now() WHERE ${ofSubject}`, [subject]),
  };
}

/** @throws Error with the code and message of an error response */
export async function ask(socket: Socket, name: string, payload: object): Promise<unknown> {
  const answer = await send(socket, name, payload);
  if (!answer.ok) throw Object.assign(new Error(answer.error.message), answer.error);
  return answer.data;
}
