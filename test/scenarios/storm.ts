import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Message } from '../../sdk/src/types.ts';
import { LoadBalancer } from '../harness/LoadBalancer.ts';
import { seeded } from '../harness/random.ts';
import type { ServerProcess } from '../harness/ServerProcess.ts';
import { TestClient } from '../harness/TestClient.ts';
import { until } from '../harness/until.ts';
import { newWallet, signIn } from '../integration/support.ts';

export interface StormOptions {
  servers: ServerProcess[];
  /** Of all four devices together. */
  messages: number;
  seed: number;
  /** While so long the messages are written. */
  forMs: number;
  /** How long what is left to arrive may take. */
  limitMs: number;
}

interface Device {
  client: TestClient;
  network: LoadBalancer;
  /** The other device of the wallet, and those of the other wallet. */
  name: string;
  sent: Promise<Message>[];
}

/**
 * Two people with two devices each write to each other, while the network of each device is cut and servers are killed, at
 * random. In the end each message is there once, in order, on every device, and its state is right.
 */
export async function storm(options: StormOptions): Promise<void> {
  const random = seeded(options.seed);
  const [alice, bob] = await Promise.all([wallet('alice', options.servers), wallet('bob', options.servers)]);
  const devices = [...alice, ...bob];
  try {
    const weather = new AbortController();
    const raging = rage(devices, options, random, weather.signal);
    await Promise.all([
      ...alice.map((device) => write(device, bob, options, random)),
      ...bob.map((device) => write(device, alice, options, random)),
    ]);
    weather.abort();
    await raging;
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

/** In bursts, spread over the time. */
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

/** Every moment another network is cut for a while, and now and then a server is killed. */
async function rage(
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

/** All that `from` sent is at `to`. */
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
    // Each once …
    expect(contents(received(device)).sort()).toEqual(contents(sent).sort());
    // … and in the order in which each device of the sender wrote them.
    for (const sender of from)
      expect(by(sender, received(device))).toEqual(
        sender.sent.map((_, number) => `${sender.name} #${number}`),
      );
  }
  const [one, other] = to as [Device, Device];
  expect(contents(received(one))).toEqual(contents(received(other)));
  // The sender's other device has heard of each once, too; the one that sent it has not.
  const [first, second] = from as [Device, Device];
  for (const [device, sibling] of [[first, second] as const, [second, first] as const]) {
    const heard = () => device.client.seen('message:sent');
    await until(() => heard().length >= sibling.sent.length, 'the other device hears', limitMs);
    expect(contents(heard())).toEqual(sibling.sent.map((_, number) => `${sibling.name} #${number}`));
  }
  expect(contents(received(one))).toEqual(contents(await stored(one, first)).filter(isFrom(from)));
}

const isFrom = (devices: Device[]) => (content: string) =>
  devices.some(({ name }) => content.startsWith(`${name} #`));

/** The whole conversation as a device reads it, oldest first. */
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

/** `to` reads all that `from` sent: delivered before, read afterwards, and `from` hears of both. */
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
