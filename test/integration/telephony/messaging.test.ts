import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keywordReplies } from '../../../server/telephony/sms/optOuts.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { until } from '../../harness/until.ts';
import { queryDatabase, roomySettings, wrongBalances } from '../money/accountSupport.ts';
import { grant, PhoneUser, type WireThread } from './telephonySupport.ts';

/* Threads, lists and opt-outs on a real server with the loopback carrier. */

let server: ServerProcess;

const newUser = async () => {
  const user = await PhoneUser.create(() => server.url);
  await grant(server, user, 5_000);
  return user;
};
const encoded = encodeURIComponent;
const send = async (from: PhoneUser, text: { from?: string; to: string; message: string }) => {
  const { id } = await from.post<{ id: string }>('/messaging/send', text);
  return from.reached(id, 'delivered');
};

beforeAll(async () => {
  server = await ServerProcess.start(roomySettings);
});
afterAll(() => server?.dispose());

describe('threads', () => {
  let alice: PhoneUser;
  let bob: PhoneUser;
  let hers: string;
  let his: string;
  beforeAll(async () => {
    [alice, bob] = [await newUser(), await newUser()];
    [hers, his] = [(await alice.buy()).phoneNumber, (await bob.buy()).phoneNumber];
  });
  const thread = (query = '') =>
    bob.get<{ thread: WireThread; data: { message: string }[]; hasMore: boolean; nextCursor: string | null }>(
      `/messaging/threads/${encoded(hers)}${query}`,
    );

  it('count unread texts until they are read', async () => {
    for (const message of ['one', 'two', 'three']) await send(alice, { from: hers, to: his, message });
    const [listed] = await bob.threads();
    expect(listed).toEqual({
      id: expect.stringMatching(/^thr_[0-9A-Za-z]{24}$/) as string,
      counterparty: hers,
      number: his,
      lastMessage: {
        id: expect.stringMatching(/^msg_/) as string,
        direction: 'inbound',
        message: 'three',
        createdAt: expect.stringMatching(/Z$/) as string,
      },
      messageCount: 3,
      unreadCount: 3,
      updatedAt: expect.stringMatching(/Z$/) as string,
    });
    const read = await thread();
    expect(read.thread).toEqual(listed);
    expect(read.data.map(({ message }) => message)).toEqual(['three', 'two', 'one']);
    expect((await bob.threads())[0]).toMatchObject({ unreadCount: 0, messageCount: 3 });
    // Outbound texts are never unread.
    expect((await alice.threads())[0]).toMatchObject({ unreadCount: 0, messageCount: 3, counterparty: his });
    await send(bob, { from: his, to: hers, message: 'four' });
    expect((await alice.threads())[0]).toMatchObject({ unreadCount: 1, lastMessage: { message: 'four' } });
    expect((await bob.threads())[0]).toMatchObject({ unreadCount: 0, messageCount: 4 });
  });

  it('are found by digits without a plus sign, and by the number of the account', async () => {
    const byDigits = await bob.get<{ thread: WireThread }>(`/messaging/threads/${hers.slice(1)}`);
    expect(byDigits.thread.counterparty).toBe(hers);
    expect((await thread(`?number=${encoded(his)}`)).data).toHaveLength(4);
    for (const path of [
      `/messaging/threads/${encoded(hers)}?number=${encoded(hers)}`,
      '/messaging/threads/15005550009',
    ])
      expect(await bob.refusal('GET', path)).toEqual([404, 'not_found']);
    expect(await bob.refusal('GET', '/messaging/threads/nobody')).toEqual([422, 'validation_failed']);
    expect(await bob.threads(`?number=${encoded(hers)}`)).toEqual([]);
  });

  it('page through texts, newest first, while new ones arrive', async () => {
    for (let index = 0; index < 6; index++)
      await send(alice, { from: hers, to: his, message: `page ${index}` });
    const seen: string[] = [];
    let query = '?limit=4';
    for (;;) {
      const page = await thread(query);
      seen.push(...page.data.map(({ message }) => message));
      if (!page.nextCursor) {
        expect(page.hasMore).toBe(false);
        break;
      }
      expect([page.hasMore, page.data.length]).toEqual([true, 4]);
      query = `?limit=4&cursor=${page.nextCursor}`;
      await send(alice, { from: hers, to: his, message: 'late' });
    }
    expect(seen).toEqual(
      [5, 4, 3, 2, 1, 0].map((index) => `page ${index}`).concat('four', 'three', 'two', 'one'),
    );
    // Only reading the first page marks new texts as read.
    expect((await bob.threads())[0]?.unreadCount).toBe(2);
    for (const path of ['/messaging/threads', '/numbers/mine/messages', '/sms/inbox', '/numbers/mine'])
      expect(await bob.refusal('GET', `${path}?cursor=nonsense`)).toEqual([422, 'validation_failed']);
  });

  it('are listed in pages, ordered by their latest text', async () => {
    const user = await newUser();
    const [first, second] = [(await user.buy()).phoneNumber, (await user.buy()).phoneNumber];
    for (const from of [first, second]) await send(user, { from, to: his, message: `from ${from}` });
    await send(user, { from: first, to: hers, message: 'to her' });
    await send(user, { from: first, to: his, message: 'again' });
    const names = (list: WireThread[]) => list.map(({ number, counterparty }) => [number, counterparty]);
    const expected = [
      [first, his],
      [first, hers],
      [second, his],
    ];
    expect(names(await user.threads())).toEqual(expected);
    const one = await user.get<{ data: WireThread[]; nextCursor: string }>('/messaging/threads?limit=1');
    const rest = await user.threads(`?limit=5&cursor=${one.nextCursor}`);
    expect(names([...one.data, ...rest])).toEqual(expected);
    // Without a number in the query, the more recently used of the two numbers applies.
    const path = `/messaging/threads/${encoded(his)}`;
    expect((await user.get<{ thread: WireThread }>(path)).thread.number).toBe(first);
    const other = await user.get<{ thread: WireThread }>(`${path}?number=${encoded(second)}`);
    expect(other.thread.number).toBe(second);
  });

  it('list the texts of the account’s numbers by number, direction, counterparty and time', async () => {
    const all = await alice.messages('?limit=100');
    const outbound = all.filter(({ direction }) => direction === 'outbound');
    expect(await alice.messages('?limit=100&direction=outbound')).toEqual(outbound);
    expect(await alice.messages(`?limit=100&number=${encoded(hers)}&with=${encoded(his)}`)).toHaveLength(
      all.filter(({ from, to }) => [from, to].includes(his)).length,
    );
    const since = all[2]?.createdAt ?? '';
    expect((await alice.messages(`?since=${encoded(since)}`)).length).toBeGreaterThanOrEqual(3);
    expect(await alice.messages('?since=2100-01-01')).toEqual([]);
    expect(await alice.refusal('GET', `/numbers/mine/messages?number=${encoded(his)}`)).toEqual([
      404,
      'not_found',
    ]);
  });

  it('can be read while a text arrives', async () => {
    await send(alice, { from: hers, to: his, message: 'another one' });
    // A concurrent, slow transaction changes the last message of the thread.
    const change = queryDatabase(
      server,
      `WITH changed AS (UPDATE threads t SET last_message_id = (SELECT min(id) FROM messages
         WHERE thread_id = t.id AND id <> t.last_message_id) WHERE number = $1 AND counterparty = $2 RETURNING 1)
       SELECT pg_sleep(0.5) FROM changed`,
      [his, hers],
    );
    let isOver = false;
    void change.then(() => (isOver = true));
    const statuses = new Set<number>();
    while (!isOver) statuses.add((await bob.ask('GET', `/messaging/threads/${encoded(hers)}`)).status);
    await change;
    expect([...statuses]).toEqual([200]);
  });

  it('keep correct counts when many texts arrive at the same time', async () => {
    const withHer = async () => (await bob.threads()).find(({ counterparty }) => counterparty === hers);
    const before = await withHer();
    await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        send(alice, { from: hers, to: his, message: `burst ${index}` }),
      ),
    );
    const after = await withHer();
    expect(after?.messageCount).toBe((before?.messageCount ?? 0) + 30);
    expect(after?.unreadCount).toBe((before?.unreadCount ?? 0) + 30);
    const { data } = await thread('?limit=1');
    expect(after?.lastMessage.message).toBe(data[0]?.message);
  });
});

describe('a recipient', () => {
  const inboundTo = async (user: PhoneUser, from: string, message: string) =>
    until(
      async () =>
        (await user.messages(`?direction=inbound&with=${encoded(from)}`)).some(
          (each) => each.message === message,
        ),
      `${message} arrives`,
    );

  it.each(['STOP', 'unsubscribe', ' Cancel. ', 'END', 'quit!'])(
    'opts out of a number with %s, and back in with START',
    async (word) => {
      const [shop, reader] = [await newUser(), await newUser()];
      const [from, to] = [(await shop.buy()).phoneNumber, (await reader.buy()).phoneNumber];
      await send(shop, { from, to, message: 'news' });
      await send(reader, { from: to, to: from, message: word });
      await inboundTo(reader, from, keywordReplies.stop);
      const before = await shop.credits();
      for (const path of ['/messaging/send', '/numbers/mine/send'])
        expect(await shop.refusal('POST', path, { from, to, message: 'more' })).toEqual([
          422,
          'recipient_opted_out',
        ]);
      expect(await shop.credits()).toBe(before);
      // The opt-out applies neither to another number of the account nor to the pool.
      const other = (await shop.buy()).phoneNumber;
      await send(shop, { from: other, to, message: 'from another' });
      await send(shop, { to, message: 'from the pool' });
      await send(reader, { from: to, to: from, message: 'start' });
      await inboundTo(reader, from, keywordReplies.start);
      await send(shop, { from, to, message: 'welcome back' });
      // The automatic replies are in the thread and free of charge.
      const { data } = await shop.get<{ data: { message: string; credits: number }[] }>(
        `/messaging/threads/${encoded(to)}?number=${encoded(from)}`,
      );
      const answers = data.filter(({ message }) => Object.values(keywordReplies).includes(message));
      expect(answers.map(({ credits }) => credits)).toEqual([0, 0]);
    },
  );

  it('gets a reply to HELP, one reply to two STOPs, and none to STOP within a text', async () => {
    const [shop, reader] = [await newUser(), await newUser()];
    const [from, to] = [(await shop.buy()).phoneNumber, (await reader.buy()).phoneNumber];
    for (const message of ['HELP', 'please stop', 'STOP', 'STOP'])
      await send(reader, { from: to, to: from, message });
    await inboundTo(reader, from, keywordReplies.help);
    await inboundTo(reader, from, keywordReplies.stop);
    const replies = (await reader.messages('?direction=inbound')).map(({ message }) => message);
    expect(replies.sort()).toEqual([keywordReplies.help, keywordReplies.stop].sort());
  });

  it('opts out of the whole pool with one STOP', async () => {
    const [shop, other, reader] = [await newUser(), await newUser(), await newUser()];
    const owned = await reader.buy();
    const to = owned.phoneNumber;
    const { from } = await shop.post<{ from: string }>('/sms/send', { to, message: 'news' });
    await inboundTo(reader, from, 'news');
    await send(reader, { from: to, to: from, message: 'STOP' });
    await inboundTo(reader, from, keywordReplies.stop);
    for (const user of [shop, other])
      expect(await user.refusal('POST', '/sms/send', { to, message: 'x' })).toEqual([
        422,
        'recipient_opted_out',
      ]);
    expect((await shop.inbox()).map(({ message }) => message)).toEqual(['STOP']);
  });
});

it('keeps every balance equal to the sum of its ledger', async () => {
  expect(await wrongBalances(server)).toEqual([]);
  expect(server.log).not.toContain('"level":50');
});
