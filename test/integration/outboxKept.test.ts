import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Parley } from '../../sdk/src/Parley.ts';
import { oneNode, type OneNode } from '../harness/Harness.ts';
import type { TestClient } from '../harness/TestClient.ts';
import { until } from '../harness/until.ts';

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
    await reloaded.messages.getConversations();
    await bob.event('message:received', ({ content }) => content === 'typed before the reload');
    await until(() => [...storage.kept.keys()].every((key) => !key.startsWith('parley.outbox')), 'forgotten');
    reloaded.close();
    expect(received().filter((content) => content === 'typed before the reload')).toHaveLength(1);
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
