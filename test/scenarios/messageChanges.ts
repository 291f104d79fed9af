import { expect } from 'vitest';
import type { Message } from '../../sdk/src/types.ts';
import type { Harness } from '../harness/nodes/Harness.ts';
import type { TestClient } from '../harness/clients/TestClient.ts';
import { contents, people, write } from './messages.ts';

/* Scenarios for replies, edits and the search, on one or several nodes. */

export const messageChangeScenarios: Record<string, (harness: Harness) => Promise<void>> = {
  async 'shows what a reply replies to, as its reader sees it'(harness) {
    const [alice, bob, eve] = (await people(harness, 3)) as [TestClient, TestClient, TestClient];
    const long = '👋'.repeat(150) + 'x'.repeat(150);
    const question = await write(alice, bob, long);
    const reply = (to: TestClient, replyTo: string | Message) => ({
      ...{ to: to.address, content: 'yes', type: 'text' as const, replyTo },
    });
    const sending = bob.parley.messages.send(reply(alice, question));
    const quote = {
      id: question.id,
      from: alice.address,
      content: [...long].slice(0, 200).join(''),
      type: 'text',
    };
    expect(bob.parley.messages.pending()).toMatchObject([{ replyTo: quote }]);
    const answer = await sending;
    expect(answer.replyTo).toEqual(quote);
    expect((await alice.event('message:received')).replyTo).toEqual(quote);
    expect(question.replyTo).toBeNull();
    // Bob no longer sees the question, so he cannot reply to it, and sees no quote of it.
    await bob.parley.messages.delete(question.id);
    await expect(bob.parley.messages.send(reply(alice, question.id))).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('replyTo') as string,
    });
    const inOther = await write(eve, bob, 'elsewhere');
    await expect(bob.parley.messages.send(reply(alice, inOther.id))).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    const quotes = async (client: TestClient, peer: TestClient) =>
      (await client.parley.messages.getMessages({ with: peer.address, limit: 1 }))[0]?.replyTo;
    expect(await quotes(bob, alice)).toEqual({ ...quote, content: '' });
    expect(await quotes(alice, bob)).toEqual(quote);
    await alice.parley.messages.delete(question.id, { forEveryone: true });
    expect(await quotes(alice, bob)).toEqual({ ...quote, content: '' });
    await alice.parley.messages.send(reply(bob, question.id));
  },

  async 'edits a message, for its sender only, until it is deleted'(harness) {
    const [alice, bob, eve] = (await people(harness, 3)) as [TestClient, TestClient, TestClient];
    const phone = await harness.client(alice.account);
    const sent = await write(alice, bob, 'see you at 7');
    const edited = await alice.parley.messages.edit(sent.id, 'see you at 8');
    expect(edited).toMatchObject({ id: sent.id, content: 'see you at 8', timestamp: sent.timestamp });
    expect(edited.editedAt).toBeInstanceOf(Date);
    for (const device of [alice, phone, bob])
      expect(await device.event('message:edited')).toMatchObject({ id: sent.id, content: 'see you at 8' });
    // The same content is no edit.
    expect(await alice.parley.messages.edit(sent.id, 'see you at 8')).toMatchObject({
      editedAt: edited.editedAt,
    });
    const refused = (client: TestClient, content: string) =>
      client.parley.messages.edit(sent.id, content).then(
        () => 'ok',
        (error: { code: string }) => error.code,
      );
    expect(await refused(bob, 'never')).toBe('ACCESS_DENIED');
    expect(await refused(eve, 'never')).toBe('NOT_FOUND');
    expect([await refused(alice, ''), await refused(alice, 'x'.repeat(10_001))]).toEqual([
      'VALIDATION_ERROR',
      'VALIDATION_ERROR',
    ]);
    const [stored] = await bob.parley.messages.getMessages({ with: alice.address });
    expect(stored).toMatchObject({ content: 'see you at 8', editedAt: edited.editedAt });
    await alice.parley.messages.delete(sent.id, { forEveryone: true });
    expect(await refused(alice, 'late')).toBe('CONFLICT');
    const after = await write(alice, bob, 'after');
    await bob.event('message:received', ({ id }) => id === after.id);
    expect(bob.seen('message:edited')).toHaveLength(1);
  },

  async 'sends edits to devices that were away, in order and as they are now'(harness) {
    const [alice, bob] = (await people(harness, 2)) as [TestClient, TestClient];
    const stored = new Map<string, string>();
    const storage = {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => void stored.set(key, value),
      removeItem: (key: string) => void stored.delete(key),
    };
    const first = await harness.client(bob.account, storage);
    const one = await write(alice, bob, '1');
    await Promise.all([alice.event('message:delivered'), first.event('message:received')]);
    first.close();
    bob.close();
    await alice.parley.messages.edit(one.id, '1, edited');
    const two = await write(alice, bob, '2');
    await alice.parley.messages.edit(two.id, '2, edited');
    const again = await harness.client(bob.account, storage);
    await again.event('message:edited', ({ id }) => id === two.id);
    expect(contents(again.seen('message:edited'))).toEqual(['1, edited', '2, edited']);
    expect(contents(again.seen('message:received'))).toEqual(['2, edited']);
    again.close();
  },

  async 'does not show the edit of a blocked sender, who sees it'(harness) {
    const [alice, bob] = (await people(harness, 2)) as [TestClient, TestClient];
    const seen = await write(alice, bob, 'lunch at noon');
    await bob.event('message:received');
    expect(await alice.parley.messages.search({ query: 'noon' })).toMatchObject({ data: [{ id: seen.id }] });
    await bob.parley.calls.block(alice.address);
    const unseen = await write(alice, bob, 'blocked');
    for (const { id } of [seen, unseen])
      expect(await alice.parley.messages.edit(id, 'lunch at one')).toMatchObject({ content: 'lunch at one' });
    const found = async (client: TestClient, query: string) =>
      contents((await client.parley.messages.search({ query })).data);
    expect([await found(alice, 'one'), await found(alice, 'noon')]).toEqual([
      ['lunch at one', 'lunch at one'],
      [],
    ]);
    expect([await found(bob, 'one'), await found(bob, 'noon')]).toEqual([[], ['lunch at noon']]);
    await bob.parley.calls.unblock(alice.address);
    const [bobsView] = await bob.parley.messages.getMessages({ with: alice.address });
    expect(bobsView).toMatchObject({ content: 'lunch at noon', editedAt: null });
    // Once unblocked, the same content is an edit for Bob.
    await alice.parley.messages.edit(seen.id, 'lunch at one');
    expect(await bob.event('message:edited')).toMatchObject({ id: seen.id, content: 'lunch at one' });
    expect(await found(bob, 'one')).toEqual(['lunch at one']);
  },

  async 'finds messages by the beginnings of words, without case and accents'(harness) {
    const [alice, bob, carol, eve] = (await people(harness, 4)) as [
      TestClient,
      TestClient,
      TestClient,
      TestClient,
    ];
    const toBob = await write(alice, bob, 'Un Café crème, à la Straße!');
    const fromCarol = await write(carol, alice, 'CAFETERIA; 私は東京に住んでいます 🎉');
    await write(eve, bob, 'cafe of others');
    const find = async (query: string, peer?: TestClient) =>
      contents((await alice.parley.messages.search({ query, ...(peer && { with: peer.address }) })).data);
    expect(await find('cafe')).toEqual([fromCarol.content, toBob.content]);
    expect(await find('CAFÉ creme')).toEqual([toBob.content]);
    for (const query of ['strasse', 'straß', 'cre un']) expect(await find(query)).toEqual([toBob.content]);
    for (const query of ['東京', '東', '京に', '🎉', 'cafet'])
      expect(await find(query)).toEqual([fromCarol.content]);
    expect(await find('cafe', carol)).toEqual([fromCarol.content]);
    for (const query of ['afe', 'cafes', 'cafe 東南', "'x':* | 'cafe'"])
      expect(await find(query)).toEqual([]);
    for (const query of ['', ' ?! ', 'x'.repeat(201)])
      await expect(find(query)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    // What is sent, edited, hidden and deleted later is found as it is now.
    const later = await write(bob, alice, 'cafe again');
    expect(await find('cafe')).toEqual([later.content, fromCarol.content, toBob.content]);
    await bob.parley.messages.edit(later.id, 'the coffee house');
    await alice.parley.messages.delete(fromCarol.id);
    expect([await find('cafe'), await find('coffee')]).toEqual([[toBob.content], ['the coffee house']]);
    await alice.parley.messages.delete(toBob.id, { forEveryone: true });
    expect(await find('cafe')).toEqual([]);
    expect(contents((await carol.parley.messages.search({ query: 'cafe' })).data)).toEqual([
      fromCarol.content,
    ]);
    expect(contents((await bob.parley.messages.search({ query: 'cafe' })).data)).toEqual(['cafe of others']);
  },

  async 'pages through found messages'(harness) {
    const [alice, bob, carol] = (await people(harness, 3)) as [TestClient, TestClient, TestClient];
    for (const number of [1, 2, 3, 4, 5]) await write(alice, number % 2 ? bob : carol, `number ${number}`);
    const walked: string[][] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await alice.parley.messages.search({ query: 'num', limit: 2, ...(cursor && { cursor }) });
      expect(page.hasMore).toBe(page.nextCursor !== null);
      walked.push(contents(page.data));
      cursor = page.nextCursor;
    }
    expect(walked).toEqual([['number 5', 'number 4'], ['number 3', 'number 2'], ['number 1']]);
    for (const wrong of [{ cursor: 'x' }, { limit: 0 }, { limit: 101 }])
      await expect(alice.parley.messages.search({ query: 'num', ...wrong })).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
      });
  },
};
