import { WebhookReceiver, type Received } from '../../harness/services/WebhookReceiver.ts';
import { ServerProcess, type Settings } from '../../harness/nodes/ServerProcess.ts';
import { until } from '../../harness/until.ts';
import type { WireWebhookDelivery } from '../../../sdk/protocol/webhooks.ts';
import type { WireNumber } from '../../../server/telephony/numbers/toWire.ts';
import { roomySettings } from '../money/accountSupport.ts';
import { grant, PhoneUser } from './telephonySupport.ts';

/** A number whose events go to a separate receiver. */
export interface Hooked {
  receiver: WebhookReceiver;
  number: WireNumber;
  secret: string;
}

/** A server that may send webhooks to this machine, and a user with numbers. */
export class WebhookBench {
  readonly server: ServerProcess;
  readonly user: PhoneUser;
  readonly #receivers: WebhookReceiver[] = [];

  static async start(settings: Settings): Promise<WebhookBench> {
    const server = await ServerProcess.start({
      ...roomySettings,
      WEBHOOK_ALLOW_LOOPBACK: 'true',
      ...settings,
    });
    const bench = new WebhookBench(server, await PhoneUser.create(() => server.url));
    await grant(server, bench.user, 50_000);
    return bench;
  }

  private constructor(server: ServerProcess, user: PhoneUser) {
    this.server = server;
    this.user = user;
  }

  async hook(owner = this.user): Promise<Hooked> {
    const receiver = await WebhookReceiver.start();
    this.#receivers.push(receiver);
    const number = await owner.buy({ country: 'US' });
    const settings = { numberId: number.id, url: receiver.url };
    const { body } = await owner.ask('PUT', '/numbers/mine/webhook', settings);
    return { receiver, number, secret: body.secret as string };
  }

  /** Sends a test event. @returns id of the event */
  async test({ number: { id: numberId } }: Hooked): Promise<string> {
    return (await this.user.post<{ id: string }>('/numbers/mine/webhook/test', { numberId })).id;
  }

  async delivery(id: string): Promise<WireWebhookDelivery | undefined> {
    const path = '/numbers/mine/webhook/deliveries?limit=100';
    const { data } = await this.user.get<{ data: WireWebhookDelivery[] }>(path);
    return data.find((each) => each.id === id);
  }

  /** Waits until the delivery has this status. */
  reached(id: string, status: WireWebhookDelivery['status']): Promise<WireWebhookDelivery> {
    const find = async () => {
      const found = await this.delivery(id);
      return found?.status === status && found;
    };
    return until(find, `${id} is ${status}`) as Promise<WireWebhookDelivery>;
  }

  attempted = (id: string, attempts: number) =>
    until(async () => (await this.delivery(id))?.attempts === attempts, `attempt ${attempts} has ended`);

  async closeReceivers(): Promise<void> {
    await Promise.all(this.#receivers.splice(0).map((receiver) => receiver.close()));
  }
}

export const idsOf = (received: Received[]) => new Set(received.map(({ headers }) => headers['webhook-id']));
