import { expect, it } from 'vitest';
import { leave, received, smallVideo, type BrowserClient } from '../harness/browser/browser.ts';
import { browserOnOneNode } from '../harness/browser/browserOnOneNode.ts';
import { intercept } from '../harness/browser/intercept.ts';
import { until } from '../harness/until.ts';

const { pair } = browserOnOneNode();

const join = ({ page }: BrowserClient, roomId: string) =>
  page.evaluate(
    ([id, video]) =>
      window.parley.conference.join({ roomId: id, video }).then(
        () => 'ok',
        ({ code }: { code: string }) => code,
      ),
    [roomId, smallVideo] as const,
  );

async function roomOf(host: BrowserClient): Promise<string> {
  const roomId = await host.page.evaluate(
    async () => (await window.parley.conference.create({ name: 'Room', maxParticipants: 5 })).id,
  );
  expect(await join(host, roomId)).toBe('ok');
  return roomId;
}

async function seeEachOther(roomId: string, ...clients: BrowserClient[]): Promise<void> {
  for (const { page } of clients)
    await until(async () => (await received(page, roomId)).framesDecoded > 0, 'the video of the other');
  const [first] = clients;
  const ids = await first?.page.evaluate(
    (id) => window.parley.conference.participants(id).map(({ walletAddress }) => walletAddress),
    roomId,
  );
  expect(ids?.sort()).toEqual(clients.map(({ address }) => address).sort());
}

/** The welcome of a server that does not join media with the request that enters a room. */
const asOlder = (message: string) => message.replace('"joinsMedia":true,', '');

const requested = (messages: string[]) =>
  messages.flatMap((message) => /\["(conference\.join|media\.join)"/.exec(message)?.[1] ?? []);

it('joins a room and its media with one request', async () => {
  const [alice, bob] = await pair();
  const sent: string[] = [];
  await intercept(alice, { sent: (message) => sent.push(message), received: (message) => message });
  const roomId = await roomOf(bob);
  expect(await join(alice, roomId)).toBe('ok');
  expect(requested(sent)).toEqual(['conference.join']);
  await seeEachOther(roomId, alice, bob);
  await leave(alice, bob);
});

it('joins the media with a request of its own on a server that does not offer more', async () => {
  const [alice, bob] = await pair();
  const sent: string[] = [];
  await intercept(alice, { sent: (message) => sent.push(message), received: asOlder });
  const roomId = await roomOf(bob);
  expect(await join(alice, roomId)).toBe('ok');
  expect(requested(sent)).toEqual(['conference.join', 'media.join']);
  expect(sent.find((message) => message.includes('conference.join'))).not.toContain('rtpCapabilities');
  await seeEachOther(roomId, alice, bob);
  await leave(alice, bob);
});

it('does not use what a former server offered after it has connected to an older one', async () => {
  const [alice, bob] = await pair();
  const sent: string[] = [];
  let server: 'newer' | 'stopping' | 'older' = 'newer';
  await intercept(alice, {
    sent: (message) => sent.push(message),
    received: (message) => {
      if (server === 'older') return asOlder(message);
      if (server === 'newer') return message;
      server = 'older';
      return null;
    },
  });
  const roomId = await roomOf(bob);
  server = 'stopping';
  expect(await alice.page.evaluate(() => window.parley.calls.getActive().catch(() => 'lost'))).toBe('lost');
  expect(await join(alice, roomId)).toBe('ok');
  expect(requested(sent)).toEqual(['conference.join', 'media.join']);
  await seeEachOther(roomId, alice, bob);
  await leave(alice, bob);
});

it('joins at the next attempt after the connection was lost with the answer to its join', async () => {
  const [alice, bob] = await pair();
  let lost = '';
  const loseJoin = (message: string) => {
    if (lost || !message.includes('"state":"joined"')) return message;
    lost = message;
    return null;
  };
  await intercept(alice, { sent: () => undefined, received: loseJoin });
  const roomId = await roomOf(bob);
  expect(await join(alice, roomId)).toBe('NETWORK_ERROR');
  expect(lost).toContain('"recvTransport"');
  expect(await join(alice, roomId)).toBe('ok');
  await seeEachOther(roomId, alice, bob);
  await leave(alice, bob);
});
