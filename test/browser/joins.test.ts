import { expect, it } from 'vitest';
import { leave, received, smallVideo, type BrowserClient } from '../harness/browser/browser.ts';
import { browserOnOneNode } from '../harness/browser/browserOnOneNode.ts';
import { until } from '../harness/until.ts';

const { pair } = browserOnOneNode();

/** Changes what a page and its server send each other. @param change returns null to close the connection instead */
async function intercept(
  { page, context, signIn }: BrowserClient,
  change: { sent: (message: string) => void; received: (message: string) => string | null },
): Promise<void> {
  await context.routeWebSocket(/socket\.io/, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((message) => {
      change.sent(String(message));
      server.send(message);
    });
    server.onMessage((message) => {
      const changed = change.received(String(message));
      if (changed === null) void socket.close();
      else socket.send(changed);
    });
  });
  await page.reload();
  await signIn();
}

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
  const asOlder = (message: string) => message.replace('"joinsMedia":true,', '');
  await intercept(alice, { sent: (message) => sent.push(message), received: asOlder });
  const roomId = await roomOf(bob);
  expect(await join(alice, roomId)).toBe('ok');
  expect(requested(sent)).toEqual(['conference.join', 'media.join']);
  expect(sent.find((message) => message.includes('conference.join'))).not.toContain('rtpCapabilities');
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
