import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Parley } from '../../../sdk/src/Parley.ts';
import { oneNode, type OneNode } from '../../harness/nodes/Harness.ts';
import type { TestClient } from '../../harness/clients/TestClient.ts';
import { until } from '../../harness/until.ts';

/* The outbox of an SDK client that has a storage. */

let harness: OneNode;
let alice: TestClient;
let bob: TestClient;

beforeAll(async () => {
  harness = await oneNode();
  [alice, bob] = [await harness.client(), await harness.client()];
});
afterAll(() => harness?.close());

function memoryStorage() {
  const entries = new Map<string, string>();
  return {
    entries,
    getItem: (key: string) => entries.get(key) ?? null,
    setItem: (key: string, value: string) => void entries.set(key, value),
    removeItem: (key: string) => void entries.delete(key),
  };
}

const text = (content: string) => ({ to: bob.address, content, type: 'text' as const });
const received = () => bob.seen('message:received').map(({ content }) => content);

describe('a stored outbox', () => {
  it('survives a reload', async () => {
    const storage = memoryStorage();
    const page = await harness.client(alice.account, storage);
    await harness.server.stop();
    const lost = page.parley.messages.send(text('typed before the reload'));
    const failed = expect(lost).rejects.toMatchObject({ code: 'AUTHENTICATION_REQUIRED' });
    page.close();
    await failed;
    await harness.server.start();
    const reloaded = new Parley({ apiKey: '', baseUrl: harness.url(), storage });
    // The promise is lost with the old page, so the event reports it.
    const sent = new Promise<string>((resolve) =>
      reloaded.on('message:sent', ({ content }) => resolve(content)),
    );
    await reloaded.messages.getConversations();
    expect(await sent).toBe('typed before the reload');
    await bob.event('message:received', ({ content }) => content === 'typed before the reload');
    await until(
      () => [...storage.entries.keys()].every((key) => !key.startsWith('parley.outbox')),
      'the stored entry is removed',
    );
    reloaded.close();
    expect(received().filter((content) => content === 'typed before the reload')).toHaveLength(1);
  });

  it('is sent before messages typed after the reload, and after a second reload', async () => {
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
    const pendingOf = (page: Parley) => page.messages.pending(bob.address).map(({ content }) => content);
    await until(() => pendingOf(second).length === 5, 'all messages are pending without a connection');
    expect(pendingOf(second)).toEqual(['1', '2', '3', '4', '5']);
    second.close();
    const third = new Parley({ apiKey: '', baseUrl: harness.url(), storage });
    type(third, ['6']);
    await until(() => pendingOf(third).length === 6, 'all messages are pending on the third page');
    expect(pendingOf(third)).toEqual(['1', '2', '3', '4', '5', '6']);
    await harness.server.start();
    await until(() => ofSender().length === 6, 'all messages arrive');
    expect(ofSender().map(({ content }) => content)).toEqual(['1', '2', '3', '4', '5', '6']);
    const stored = await bob.parley.messages.getMessages({ with: sender.address });
    expect(stored.map(({ content }) => content)).toEqual(['6', '5', '4', '3', '2', '1']);
    third.close();
  });

  it('does not send messages of one wallet as another wallet', async () => {
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
