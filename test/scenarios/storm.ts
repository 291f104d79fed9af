import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Message } from '../../sdk/src/types.ts';
import { LoadBalancer } from '../harness/nodes/LoadBalancer.ts';
import { seeded } from '../harness/random.ts';
import type { ServerProcess } from '../harness/nodes/ServerProcess.ts';
import { TestClient } from '../harness/clients/TestClient.ts';
import { until } from '../harness/until.ts';
import { newWallet, signIn } from '../integration/support.ts';

export interface StormOptions {
  servers: ServerProcess[];
  /** The total number of messages that the four devices send. */
  messages: number;
  seed: number;
  /** The approximate time over which the messages are written. */
  forMs: number;
  /** The maximum time for the remaining messages to arrive. */
  limitMs: number;
}

interface Device {
  client: TestClient;
  network: LoadBalancer;
  /** Prefix of its messages, which identifies the sending device. */
  name: string;
  sent: Promise<Message>[];
}

/**
 * Lets two people with two devices each exchange messages, while it cuts the devices' networks and kills servers at random. Checks that, at
 * the end, every device has each message once, in order and with the right state.
 */
export async function storm(options: StormOptions): Promise<void> {
  const random = seeded(options.seed);
  const [alice, bob] = await Promise.all([wallet('alice', options.servers), wallet('bob', options.servers)]);
  const devices = [...alice, ...bob];
  try {
    const faults = new AbortController();
    const injecting = injectFaults(devices, options, random, faults.signal);
    await Promise.all([
      ...alice.map((device) => write(device, bob, options, random)),
      ...bob.map((device) => write(device, alice, options, random)),
    ]);
    faults.abort();
    await injecting;
    await Promise.all([settled(alice, bob, options), settled(bob, alice, options)]);
    await Promise.all([read(alice, bob, options), read(bob, alice, options)]);
  } finally {
    for (const { client, network } of devices) {
      client.close();
      await network.close();
    }
  }
}

async function wallet(name: string, servers: ServerProcess[]): Promise<Device[]> {
  const account = newWallet();
  const url = servers[0]?.url ?? '';
  return Promise.all(
    ['1', '2'].map(async (number) => {
      const network = await LoadBalancer.create(servers.map(({ ports }) => ports.port));
      const { token } = await signIn(url, account);
      const client = TestClient.withTokens(network.url, account, () => Promise.resolve(token));
      await client.parley.messages.getConversations();
      return { client, network, name: `${name} ${number}`, sent: [] };
    }),
  );
}

/** Sends the messages of a device in bursts, which take about `forMs` in total. */
async function write(
  device: Device,
  others: Device[],
  { messages, forMs }: StormOptions,
  random: () => number,
): Promise<void> {
  const burst = 10;
  const own = messages / 4;
  for (let number = 0; number < own; number++) {
    const content = `${device.name} #${number}`;
    const to = others[0]?.client.address ?? '';
    device.sent.push(device.client.parley.messages.send({ to, content, type: 'text' }));
    if (number % burst === burst - 1) await delay((random() * 2 * forMs * burst) / own);
  }
}

/** Briefly cuts one network after another, and kills a server from time to time. */
async function injectFaults(
  devices: Device[],
  { servers, forMs }: StormOptions,
  random: () => number,
  signal: AbortSignal,
): Promise<void> {
  const pick = <Item>(items: Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const cutting = (async () => {
    while (!signal.aborted) {
      const { network } = pick(devices);
      network.cut();
      await delay(20 + random() * 600);
      network.restore();
      await delay(random() * 200);
    }
  })();
  while (!signal.aborted) {
    await delay(500 + (random() * forMs) / 4);
    const server = pick(servers);
    await server.kill();
    await server.start();
  }
  await cutting;
}

const contents = (messages: Message[]) => messages.map(({ content }) => content);
const by = (device: Device, messages: Message[]) =>
  contents(messages).filter((content) => content.startsWith(`${device.name} #`));

/** Checks that all messages of `from` have arrived at `to`. */
async function settled(from: Device[], to: Device[], { limitMs }: StormOptions): Promise<void> {
  const sent = await Promise.all(from.flatMap((device) => device.sent));
  const received = (device: Device) => device.client.seen('message:received');
  await until(
    () => to.every((device) => received(device).length >= sent.length),
    `all ${sent.length} received`,
    limitMs,
  ).catch((error: Error) => {
    throw new Error(`${error.message}: ${to.map((device) => received(device).length).join(', ')}`);
  });
  for (const device of to) {
    // Each message arrives once.
    expect(contents(received(device)).sort()).toEqual(contents(sent).sort());
    // They arrive in the order in which each sending device wrote them.
    for (const sender of from)
      expect(by(sender, received(device))).toEqual(
        sender.sent.map((_, number) => `${sender.name} #${number}`),
      );
  }
  const [one, other] = to as [Device, Device];
  expect(contents(received(one))).toEqual(contents(received(other)));
  // The sender's other device gets each message:sent once; the sending device does not.
  const [first, second] = from as [Device, Device];
  for (const [device, sibling] of [[first, second] as const, [second, first] as const]) {
    const sentEvents = () => device.client.seen('message:sent');
    await until(
      () => sentEvents().length >= sibling.sent.length,
      'the other device gets message:sent',
      limitMs,
    );
    expect(contents(sentEvents())).toEqual(sibling.sent.map((_, number) => `${sibling.name} #${number}`));
  }
  expect(contents(received(one))).toEqual(contents(await stored(one, first)).filter(isFrom(from)));
}

const isFrom = (devices: Device[]) => (content: string) =>
  devices.some(({ name }) => content.startsWith(`${name} #`));

/** The full conversation as a device reads it, oldest first. */
async function stored(device: Device, other: Device): Promise<Message[]> {
  const all: Message[] = [];
  for (;;) {
    const before = all.at(-1)?.timestamp;
    const page = await device.client.parley.messages.getMessages({
      with: other.client.address,
      limit: 100,
      ...(before ? { before } : {}),
    });
    if (page.length === 0) return all.reverse();
    all.push(...page);
  }
}

/** Lets `to` read all messages of `from`. Checks that they are first delivered and then read, and that `from` gets both events. */
async function read(from: Device[], to: Device[], { limitMs }: StormOptions): Promise<void> {
  const [reader, sender] = [to[0] as Device, from[0] as Device];
  const own = async () =>
    (await stored(sender, reader)).filter(({ from: by }) => by === sender.client.address);
  const states = async () => new Set((await own()).map(({ status }) => status));
  await until(async () => [...(await states())].join() === 'delivered', 'all delivered', limitMs);
  const last = (await own()).at(-1);
  const isLast = ({ messageId }: { messageId: string }) => messageId === last?.id;
  for (const device of from) await device.client.event('message:delivered', isLast, limitMs);
  await reader.client.parley.messages.markAsRead(last?.id ?? '');
  for (const device of [...from, ...to]) await device.client.event('message:read', isLast, limitMs);
  expect([...(await states())]).toEqual(['read']);
  expect(await reader.client.parley.messages.getConversation(sender.client.address)).toMatchObject({
    unreadCount: 0,
  });
}
