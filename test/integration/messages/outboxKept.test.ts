import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Parley } from '../../../sdk/src/Parley.ts';
import { oneNode, type OneNode } from '../../harness/Harness.ts';
import type { TestClient } from '../../harness/TestClient.ts';
import { until } from '../../harness/until.ts';

/* What the SDK keeps of messages that can't leave yet, where it has a storage. */

let harness: OneNode;
let alice: TestClient;
let bob: TestClient;

beforeAll(async () => {
  harness = await oneNode();
  [alice, bob] = [await harness.client(), await harness.client()];
});
afterAll(() => harness?.close());

function memoryStorage() {
  const kept = new Map<string, string>();
  return {
    kept,
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
}

const text = (content: string) => ({ to: bob.address, content, type: 'text' as const });
const received = () => bob.seen('message:received').map(({ content }) => content);

describe('the kept outbox', () => {
  it('outlives a reload, where it has a storage', async () => {
    const storage = memoryStorage();
    const page = await harness.client(alice.account, storage);
    await harness.server.stop();
    const lost = page.parley.messages.send(text('typed before the reload'));
    const failed = expect(lost).rejects.toMatchObject({ code: 'AUTHENTICATION_REQUIRED' });
    page.close();
    await failed;
    await harness.server.start();
    const reloaded = new Parley({ apiKey: '', baseUrl: harness.url(), storage });
    // Nobody waits for a promise any more: the event tells.
    const told = new Promise<string>((resolve) =>
      reloaded.on('message:sent', ({ content }) => resolve(content)),
    );
    await reloaded.messages.getConversations();
    expect(await told).toBe('typed before the reload');
    await bob.event('message:received', ({ content }) => content === 'typed before the reload');
    await until(() => [...storage.kept.keys()].every((key) => !key.startsWith('parley.outbox')), 'forgotten');
    reloaded.close();
    expect(received().filter((content) => content === 'typed before the reload')).toHaveLength(1);
  });

  it('is sent before what is typed after the reload, also after a second one', async () => {
    const storage = memoryStorage();
    const sender = await harness.client(undefined, storage);
    await harness.server.stop();
    const ofSender = () => bob.seen('message:received').filter(({ from }) => from === sender.address);
    const type = (page: Parley, contents: string[]) =>
      contents.forEach((content) => void page.messages.send(text(content)).catch(() => undefined));
    type(sender.parley, ['1', '2', '3']);
    sender.close();
    const second = new Parley({ apiKey: '', baseUrl: harness.url(), storage });
    type(second, ['4', '5']);
    const waiting = (page: Parley) => page.messages.pending(bob.address).map(({ content }) => content);
    await until(() => waiting(second).length === 5, 'what waits, before there is a connection');
    expect(waiting(second)).toEqual(['1', '2', '3', '4', '5']);
    second.close();
    const third = new Parley({ apiKey: '', baseUrl: harness.url(), storage });
    type(third, ['6']);
    await until(() => waiting(third).length === 6, 'what waits on the third page');
    expect(waiting(third)).toEqual(['1', '2', '3', '4', '5', '6']);
    await harness.server.start();
    await until(() => ofSender().length === 6, 'all of them');
    expect(ofSender().map(({ content }) => content)).toEqual(['1', '2', '3', '4', '5', '6']);
    const stored = await bob.parley.messages.getMessages({ with: sender.address });
    expect(stored.map(({ content }) => content)).toEqual(['6', '5', '4', '3', '2', '1']);
    third.close();
  });

  it('does not send one wallet’s messages as another’s', async () => {
    const storage = memoryStorage();
    const page = await harness.client(undefined, storage);
    await harness.server.stop();
    const lost = page.parley.messages.send(text('of another wallet'));
    void lost.catch(() => undefined);
    page.close();
    await harness.server.start();
    const other = await harness.client(undefined, storage);
    const sent = await other.parley.messages.send(text('mine'));
    expect(sent.from).toBe(other.address);
    await bob.event('message:received', ({ content }) => content === 'mine');
    expect(received()).not.toContain('of another wallet');
    const again = await harness.client(page.account, storage);
    const late = await bob.event('message:received', ({ content }) => content === 'of another wallet');
    expect(late.from).toBe(again.address);
  });
});
