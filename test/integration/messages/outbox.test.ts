import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Parley } from '../../../sdk/src/Parley.ts';
import { oneNode, type OneNode } from '../../harness/Harness.ts';
import type { TestClient } from '../../harness/TestClient.ts';
import { until } from '../../harness/until.ts';

/* What the SDK does with messages that can't leave yet. */

let harness: OneNode;
let alice: TestClient;
let bob: TestClient;

beforeAll(async () => {
  harness = await oneNode({ RATE_LIMIT_REALTIME: '60', RATE_LIMIT_MESSAGES: '1000' });
  [alice, bob] = [await harness.client(), await harness.client()];
});
afterAll(() => harness?.close());

const text = (content: string) => ({ to: bob.address, content, type: 'text' as const });
const received = () => bob.seen('message:received').map(({ content }) => content);

describe('the outbox', () => {
  it('paces itself by the server’s limit, and keeps the order', async () => {
    const wanted = Array.from({ length: 90 }, (_, index) => `paced ${index}`);
    await Promise.all(wanted.map((content) => alice.parley.messages.send(text(content))));
    await until(() => received().length >= wanted.length, 'all of them');
    expect(received()).toEqual(wanted);
    expect(harness.server.logged('request refused').some(({ code }) => code === 'RATE_LIMIT_EXCEEDED')).toBe(
      true,
    );
  });

  it('refuses a message that the server would close the connection for, and sends the next', async () => {
    await expect(alice.parley.messages.send(text('x'.repeat(3_000_000)))).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringMatching(/^A message may have 65536 bytes; this one has 30\d+/) as string,
    });
    const [failed] = alice.parley.messages.pending();
    expect(failed?.status).toBe('failed');
    alice.parley.messages.discard(failed?.id ?? '');
    expect((await alice.parley.messages.send(text('after it'))).status).toBe('sent');
  });

  it('sends what was written while the server was away, once it is back', async () => {
    await harness.server.stop();
    const sending = ['one', 'two', 'three'].map((content) => alice.parley.messages.send(text(content)));
    const pending = alice.parley.messages.pending(bob.address);
    expect(pending.map(({ content, status }) => [content, status])).toEqual([
      ['one', 'sending'],
      ['two', 'sending'],
      ['three', 'sending'],
    ]);
    expect(alice.seen('message:sending').slice(-3)).toEqual(pending);
    await harness.server.start();
    expect((await Promise.all(sending)).map(({ status }) => status)).toEqual(['sent', 'sent', 'sent']);
    await until(() => received().at(-1) === 'three', 'the last');
    expect(received().slice(-3)).toEqual(['one', 'two', 'three']);
    expect(alice.parley.messages.pending()).toEqual([]);
  });

  it('gives up in the end, says so, and tries again when it is told to', async () => {
    const hasty = new Parley({ apiKey: '', baseUrl: harness.url(), sendLimitSeconds: 0.1 });
    await hasty.signIn(alice.account);
    const failures: unknown[] = [];
    hasty.on('message:failed', ({ message }) => failures.push([message.content, message.status]));
    await harness.server.stop();
    await expect(hasty.messages.send(text('hasty'))).rejects.toMatchObject({ code: 'NETWORK_ERROR' });
    const [failed] = hasty.messages.pending();
    expect(failed).toMatchObject({ content: 'hasty', status: 'failed' });
    expect(failures).toEqual([['hasty', 'failed']]);
    await harness.server.start();
    expect(await hasty.messages.retry(failed?.id ?? '')).toMatchObject({ id: failed?.id, status: 'sent' });
    expect(hasty.messages.pending()).toEqual([]);
    await expect(hasty.messages.retry(failed?.id ?? '')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(hasty.messages.send({ ...text(''), type: 'text' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    hasty.messages.discard(hasty.messages.pending()[0]?.id ?? '');
    expect(hasty.messages.pending()).toEqual([]);
    await expect(hasty.messages.send({ ...text('x'), to: '0x12' })).rejects.toMatchObject({
      code: 'INVALID_ADDRESS',
    });
    hasty.close();
  });
});
