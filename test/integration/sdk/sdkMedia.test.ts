import { Chrome111 } from 'mediasoup-client/handlers/Chrome111';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Parley, ParleyError, type MediaOptions, type Participant } from '../../../sdk/src/index.ts';
import { BotMedia } from '../../harness/clients/BotMedia.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { until } from '../../harness/until.ts';

/* The SDK in Node.js with @roamhq/wrtc, set up as docs/guides/app-developer.md describes. */
const bots = new BotMedia();
const { getUserMedia } = bots;
const clients: Parley[] = [];
let server: ServerProcess;

beforeAll(async () => {
  server = await ServerProcess.start();
});
afterAll(async () => {
  for (const client of clients) client.close();
  bots.close();
  await server?.dispose();
});

async function signedIn(media?: MediaOptions): Promise<Parley> {
  const client = new Parley({ apiKey: '', baseUrl: server.url, ...(media ? { media } : {}) });
  clients.push(client);
  await client.signIn(privateKeyToAccount(generatePrivateKey()));
  return client;
}

/** Kinds of media received so far. */
async function received(client: Parley, id: string): Promise<string[]> {
  const { receiving } = await client.media.stats(id);
  const inbound = receiving as (RTCInboundRtpStreamStats & { framesDecoded?: number })[];
  return inbound
    .filter(({ type, kind, framesDecoded, packetsReceived }) =>
      type === 'inbound-rtp' && kind === 'video' ? framesDecoded : packetsReceived,
    )
    .map(({ kind }) => kind)
    .filter(Boolean)
    .sort();
}

it('exchanges audio and video between two Node.js programs', async () => {
  const [alice, bob] = [
    await signedIn({ handlerName: 'Chrome111', getUserMedia }),
    await signedIn({ handlerFactory: Chrome111.createFactory({}), getUserMedia }),
  ];
  const answered = new Promise((resolve, reject) => {
    bob.on('call:incoming', ({ id }) => void bob.calls.answer(id).then(resolve, reject));
  });
  const { id } = await alice.calls.start({ to: bob.session?.walletAddress ?? '', type: 'video' });
  await answered;
  for (const client of [alice, bob])
    await until(async () => (await received(client, id)).join() === 'audio,video', 'audio and video arrive');
  await alice.calls.end(id);
});

it('fails before the call rings if no handler is set, and names the option to set', async () => {
  const alice = await signedIn();
  const to = privateKeyToAccount(generatePrivateKey()).address;
  const refusal = {
    code: 'VALIDATION_ERROR',
    message: expect.stringContaining("media: { handlerName: 'Chrome111' }") as string,
  };
  await expect(alice.calls.start({ to, type: 'audio' })).rejects.toMatchObject(refusal);
  expect(await alice.calls.getActive()).toEqual([]);
  const { id } = await alice.conference.create({ name: 'Bots', maxParticipants: 2 });
  await expect(alice.conference.join(id)).rejects.toMatchObject(refusal);
});

it('fails to send without getUserMedia and names the option, but can still receive', async () => {
  const alice = await signedIn({ handlerName: 'Chrome111' });
  const { id } = await alice.conference.create({ name: 'Bots', maxParticipants: 2 });
  const message = expect.stringContaining('media: { getUserMedia }') as string;
  await expect(alice.conference.join(id)).rejects.toMatchObject({
    code: 'PERMISSION_DENIED',
    message,
  });
  await alice.conference.join({ roomId: id, audio: false, video: false });
  expect(alice.media.receivingState(id)).toBe('new');
  await expect(alice.conference.startScreenShare(id)).rejects.toMatchObject({
    code: 'PERMISSION_DENIED',
    message: expect.stringContaining('media: { getDisplayMedia }') as string,
  });
});

it.each([
  [{ handlerName: 'Opera' }, 'media.handlerName must be one of Chrome111'],
  [{ handlerFactory: {} }, 'media.handlerFactory must be a HandlerFactory'],
  [{ handlerName: 'Chrome111', handlerFactory: Chrome111.createFactory({}) }, 'not both'],
  [5, 'media must be an object'],
])('rejects the option %j', (media, message) => {
  expect(() => new Parley({ apiKey: '', baseUrl: server.url, media: media as never })).toThrow(message);
});

it('refuses a screen that may not be shared, with the reason', async () => {
  const media: MediaOptions = { handlerName: 'Chrome111', getUserMedia };
  const [alice, bob] = [await signedIn(media), await signedIn(media)];
  const reasonOf = (sharing: Promise<void>) =>
    sharing.then(
      () => null,
      (error: unknown) => error instanceof ParleyError && error.reason,
    );
  const settings = { allowScreenShare: false };
  const { id: roomId } = await alice.conference.create({ name: 'Room', maxParticipants: 2, settings });
  await alice.conference.join(roomId);
  const joined = new Promise<Participant>((resolve) => alice.on('conference:participant:joined', resolve));
  await bob.conference.join(roomId);
  expect(await reasonOf(bob.conference.startScreenShare(roomId))).toBe('screen_share_off');
  const isViewer = new Promise<void>((resolve) => {
    bob.on('conference:participant:updated', ({ role }) => role === 'viewer' && resolve());
  });
  await alice.conference.setRole(roomId, (await joined).id, 'viewer');
  await isViewer;
  expect(await reasonOf(bob.conference.startScreenShare(roomId))).toBe('viewer');

  const { id: streamId } = await alice.streaming.create({ title: 'Stream' });
  await bob.streaming.watch(streamId);
  expect(await reasonOf(bob.streaming.startScreenShare(streamId))).toBe('not_the_publisher');
});
