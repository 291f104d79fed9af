import type { Socket } from 'socket.io-client';
import type { PushService, BrowserSubscription } from '../../harness/PushService.ts';
import type { TestClient } from '../../harness/TestClient.ts';
import { until } from '../../harness/until.ts';
import { connected, send } from '../support.ts';

/** A wallet's browser, away or there, without the SDK: it says nothing of its own. */
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

  /** Connected, and frozen: it hears and does nothing. Once the server, whose log this is, counts on it. */
  async connect(log: () => string): Promise<Socket> {
    const socket = await connected(this.#url, this.#token);
    const line = new RegExp(`"${socket.id}".*"connection counted"`);
    await until(() => line.test(log()), 'the connection counts');
    return socket;
  }
}

/** @throws Error where the answer is none */
export async function ask(socket: Socket, name: string, payload: object): Promise<unknown> {
  const answer = await send(socket, name, payload);
  if (!answer.ok) throw Object.assign(new Error(answer.error.message), answer.error);
  return answer.data;
}
