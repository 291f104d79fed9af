import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../sdk/protocol/ids.ts';
import type { Message } from '../../../sdk/src/types.ts';
import { Parley } from '../../../sdk/src/Parley.ts';
import { oneNode, type OneNode } from '../../harness/nodes/Harness.ts';
import { TestClient } from '../../harness/clients/TestClient.ts';
import { until } from '../../harness/until.ts';
import { queryDatabase } from '../money/accountSupport.ts';

/* The SDK's queue of messages that the server has not stored yet. */

let harness: OneNode;
let alice: TestClient;
let bob: TestClient;
let question: Message;

beforeAll(async () => {
  harness = await oneNode({ RATE_LIMIT_REALTIME: '60', RATE_LIMIT_MESSAGES: '1000' });
  [alice, bob] = [await harness.client(), await harness.client()];
  question = await bob.parley.messages.send({ to: alice.address, content: 'question', type: 'text' });
});
afterAll(() => harness?.close());

const text = (content: string) => ({ to: bob.address, content, type: 'text' as const });
const received = () => bob.seen('message:received').map(({ content }) => content);

describe('the outbox', () => {
  it('keeps to the server’s rate limit and preserves the order', async () => {
    const contents = Array.from({ length: 90 }, (_, index) => `paced ${index}`);
    await Promise.all(contents.map((content) => alice.parley.messages.send(text(content))));
    await until(() => received().length >= contents.length, 'all messages arrive');
    expect(received()).toEqual(contents);
    expect(harness.server.logged('request refused').some(({ code }) => code === 'RATE_LIMIT_EXCEEDED')).toBe(
      true,
    );
  });

  it('rejects a message that is too large for the connection, and sends the next one', async () => {
    await expect(alice.parley.messages.send(text('x'.repeat(3_000_000)))).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringMatching(/^A message may have 65536 bytes; this one has 30\d+/) as string,
    });
    const [failed] = alice.parley.messages.pending();
    expect(failed?.status).toBe('failed');
    alice.parley.messages.discard(failed?.id ?? '');
    expect((await alice.parley.messages.send(text('after the failed one'))).status).toBe('sent');
  });

  it('sends messages written while the server was down as soon as it is back', async () => {
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
    await until(() => received().at(-1) === 'three', 'the last message arrives');
    expect(received().slice(-3)).toEqual(['one', 'two', 'three']);
    expect(alice.parley.messages.pending()).toEqual([]);
  });

  it('sends messages that were written before the first connection of a client whose wallet is not known', async () => {
    const token = alice.parley.session?.token ?? '';
    await harness.server.stop();
    const client = TestClient.withTokens(harness.url(), alice.account, () => Promise.resolve(token));
    const contents = ['before the first', 'connection'];
    const sending = Promise.allSettled(contents.map((content) => client.parley.messages.send(text(content))));
    // Longer than a request waits for the connection.
    await delay(11_000);
    await harness.server.start();
    expect((await sending).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    await until(() => received().at(-1) === 'connection', 'the last message arrives');
    expect(received().slice(-2)).toEqual(contents);
    client.close();
  });

  it('fails a message after its limit, reports it, and sends it on retry', async () => {
    const impatient = new Parley({ apiKey: '', baseUrl: harness.url(), sendLimitSeconds: 0.1 });
    await impatient.signIn(alice.account);
    const failures: unknown[] = [];
    impatient.on('message:failed', ({ message }) => failures.push([message.content, message.status]));
    await harness.server.stop();
    await expect(impatient.messages.send(text('late'))).rejects.toMatchObject({ code: 'NETWORK_ERROR' });
    const [failed] = impatient.messages.pending();
    expect(failed).toMatchObject({ content: 'late', status: 'failed' });
    expect(failures).toEqual([['late', 'failed']]);
    await harness.server.start();
    expect(await impatient.messages.retry(failed?.id ?? '')).toMatchObject({
      id: failed?.id,
      status: 'sent',
    });
    expect(impatient.messages.pending()).toEqual([]);
    await expect(impatient.messages.retry(failed?.id ?? '')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(impatient.messages.send({ ...text(''), type: 'text' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    impatient.messages.discard(impatient.messages.pending()[0]?.id ?? '');
    expect(impatient.messages.pending()).toEqual([]);
    await expect(impatient.messages.send({ ...text('x'), to: '0x12' })).rejects.toMatchObject({
      code: 'INVALID_ADDRESS',
    });
    impatient.close();
  });

  it('changes a message that was not sent yet, and edits one that may have been stored', async () => {
    await harness.server.stop();
    const sending = ['first', 'second'].map((content) =>
      alice.parley.messages.send({ ...text(content), replyTo: question }),
    );
    const [first, second] = alice.parley.messages.pending(bob.address);
    // The first may be on its way already; the second certainly is not.
    expect(await alice.parley.messages.edit(first?.id ?? '', 'first, edited')).toMatchObject({
      status: 'sending',
    });
    await alice.parley.messages.edit(second?.id ?? '', 'second, changed');
    expect(
      alice
        .seen('message:sending')
        .slice(-2)
        .map(({ content }) => content),
    ).toEqual(['first, edited', 'second, changed']);
    await expect(alice.parley.messages.edit(second?.id ?? '', '')).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    await harness.server.start();
    const sent = await Promise.all(sending);
    expect(sent.map(({ content }) => content)).toEqual(['first, edited', 'second, changed']);
    expect(sent.map(({ replyTo }) => replyTo?.id)).toEqual([question.id, question.id]);
    expect(sent[1]?.editedAt).toBeNull();
    const stored = await bob.parley.messages.getMessages({ with: alice.address, limit: 2 });
    expect(stored.map(({ content }) => content)).toEqual(['second, changed', 'first, edited']);
  });

  it('edits a message whose answer was lost', async () => {
    const sending = alice.parley.messages.send(text('sent, and unanswered'));
    const [draft] = alice.parley.messages.pending(bob.address);
    await bob.event('message:received', ({ id }) => id === draft?.id);
    // The message is stored, but it may still be pending here.
    await alice.parley.messages.edit(draft?.id ?? '', 'edited at once');
    await sending;
    await bob.event('message:edited', ({ id, content }) => id === draft?.id && content === 'edited at once');
  });

  it('refuses a reply to a message that this wallet cannot see, and sends it on retry after a change', async () => {
    const refused = alice.parley.messages.send({ ...text('hm'), replyTo: newId('msg') });
    await expect(refused).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const [failed] = alice.parley.messages.pending(bob.address);
    expect(await alice.parley.messages.edit(failed?.id ?? '', 'hm, changed')).toMatchObject({
      status: 'failed',
    });
    alice.parley.messages.discard(failed?.id ?? '');
  });

  it('uploads the file of a refused message again if it has expired before the retry', async () => {
    const { id: group } = await bob.parley.groups.create({ name: 'Later' });
    const sending = alice.parley.messages.sendFile({
      to: group,
      file: Buffer.from('the plan'),
      name: 'plan.txt',
    });
    await expect(sending).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const [failed] = alice.parley.messages.pending(group);
    await bob.parley.groups.add(group, [alice.address]);
    await alice.parley.groups.join(group);
    await queryDatabase(harness.server, "UPDATE due SET due_at = now() WHERE kind = 'file.expired'");
    const files = () => queryDatabase(harness.server, 'SELECT FROM files');
    await until(async () => (await files()).length === 0, 'the file has expired');
    const sent = await alice.parley.messages.retry(failed?.id ?? '');
    expect(sent).toMatchObject({ id: failed?.id, type: 'file', media: { name: 'plan.txt' } });
    expect(alice.parley.messages.pending()).toEqual([]);
  });

  it('sends the latest content of a refused message, which was edited before and after the refusal', async () => {
    const sending = alice.parley.messages.send(text('x'.repeat(10_001)));
    const refused = expect(sending).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    const [draft] = alice.parley.messages.pending(bob.address);
    const id = draft?.id ?? '';
    // By now the request is sent. Its response cannot be read before this continues.
    await new Promise(setImmediate);
    expect(await alice.parley.messages.edit(id, 'during the request')).toMatchObject({ status: 'sending' });
    await refused;
    await alice.parley.messages.edit(id, 'after the refusal');
    expect(alice.parley.messages.pending()).toMatchObject([{ id, content: 'after the refusal' }]);
    expect(await alice.parley.messages.retry(id)).toMatchObject({
      content: 'after the refusal',
      editedAt: null,
    });
  });
});
