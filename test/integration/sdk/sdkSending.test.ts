import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { Parley } from '../../../sdk/src/index.ts';
import { BotMedia } from '../../harness/clients/BotMedia.ts';
import { inFront, NetworkProxy } from '../../harness/nodes/NetworkProxy.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { until } from '../../harness/until.ts';

/* What the user does while the SDK is still busy with what they did before. The SDK runs in Node.js with @roamhq/wrtc. */

type Capture = (constraints: MediaStreamConstraints) => Promise<MediaStream>;

const bots = new BotMedia();
const clients: Parley[] = [];
let server: ServerProcess;
/** The devices of all clients. Tests replace it. */
let capture: Capture;

beforeAll(async () => {
  server = await ServerProcess.start(({ port }) => ({ ALLOWED_ORIGINS: `http://${inFront}:${port}` }));
});
beforeEach(() => {
  capture = bots.getUserMedia;
});
afterAll(async () => {
  for (const client of clients) client.close();
  bots.close();
  await server?.dispose();
});

async function signedIn(baseUrl = server.url): Promise<Parley> {
  const client = new Parley({
    apiKey: '',
    baseUrl,
    media: { handlerName: 'Chrome111', getUserMedia: (constraints) => capture(constraints) },
  });
  clients.push(client);
  await client.signIn(privateKeyToAccount(generatePrivateKey()));
  return client;
}

/** What a test does in a call or a room. */
interface Place {
  id: string;
  alice: Parley;
  mute: () => Promise<void>;
  unmute: () => Promise<void>;
  /** What Bob was told about Alice's microphone, latest last. */
  heard: boolean[];
}

async function inCall(): Promise<Place> {
  const [alice, bob] = [await signedIn(), await signedIn()];
  const heard: boolean[] = [];
  bob.on('call:participant:updated', ({ audio }) => heard.push(audio));
  const answered = new Promise((resolve, reject) => {
    bob.on('call:incoming', ({ id }) => void bob.calls.answer(id).then(resolve, reject));
  });
  const { id } = await alice.calls.start({ to: bob.session?.walletAddress ?? '', type: 'audio' });
  await answered;
  await until(() => bob.media.participants(id)[0]?.audio, 'Alice is heard');
  const { calls } = alice;
  return { id, alice, mute: () => calls.mute(id), unmute: () => calls.unmute(id), heard };
}

async function inRoom(): Promise<Place> {
  const [alice, bob] = [await signedIn(), await signedIn()];
  const heard: boolean[] = [];
  bob.on('conference:participant:updated', ({ walletAddress, audio }) => {
    if (walletAddress === alice.session?.walletAddress) heard.push(audio);
  });
  const { id } = await alice.conference.create({ name: 'Room', maxParticipants: 5 });
  await bob.conference.join({ roomId: id, audio: false, video: false });
  await alice.conference.join({ roomId: id, video: false });
  await until(() => heard.at(-1), 'Alice is heard');
  const { conference } = alice;
  return { id, alice, mute: () => conference.muteAudio(id), unmute: () => conference.unmuteAudio(id), heard };
}

const microphone = ({ alice, id }: Place) => alice.media.localStream(id)?.getAudioTracks()[0];

it('reports that the other party of a call has muted while the connection was lost', async () => {
  const network = await NetworkProxy.create([server.ports.port], []);
  onTestFinished(() => network.close());
  const [alice, bob] = [await signedIn(), await signedIn(`http://${inFront}:${server.ports.port}`)];
  const answered = new Promise((resolve, reject) => {
    bob.on('call:incoming', ({ id }) => void bob.calls.answer(id).then(resolve, reject));
  });
  const { id } = await alice.calls.start({ to: bob.session?.walletAddress ?? '', type: 'audio' });
  await answered;
  await until(() => bob.calls.state(id).get().remote?.audio, 'Alice is heard');
  const heard: boolean[] = [];
  bob.on('call:participant:updated', ({ audio }) => heard.push(audio));
  network.cut();
  const resuming = bob.resume();
  await alice.calls.mute(id);
  await until(() => bob.state === 'reconnecting', 'Bob has noticed the outage');
  network.restore();
  await resuming;
  await until(() => heard.length > 0, 'Bob is told');
  expect(heard).toEqual([false]);
  expect(bob.calls.state(id).get().remote).toMatchObject({ audio: false });
});

/** Lets a request leave. Its answer takes longer. */
const nextTick = () => new Promise((resolve) => setImmediate(resolve));

it.each([
  ['call', inCall],
  ['room', inRoom],
])('keeps the microphone off that is muted while a %s unmutes it', async (_place, enter) => {
  const place = await enter();
  await place.mute();
  const unmuting = place.unmute();
  await nextTick();
  await Promise.all([unmuting, place.mute()]);
  expect(microphone(place)?.enabled).toBe(false);
  await place.unmute();
  expect(microphone(place)?.enabled).toBe(true);
  await until(() => place.heard.at(-1), 'Alice is heard again');
});

it('mutes again if the mute is toggled while the microphone is being unmuted', async () => {
  const place = await inCall();
  const { alice, id } = place;
  const state = alice.calls.state(id);
  await place.mute();
  const toggled = [alice.calls.toggleMute(id)];
  await nextTick();
  toggled.push(alice.calls.toggleMute(id));
  expect(await Promise.all(toggled)).toEqual([false, true]);
  expect(microphone(place)?.enabled).toBe(false);
  expect(state.get().isMuted).toBe(true);
  expect(await alice.calls.toggleMute(id)).toBe(false);
  expect(state.get().isMuted).toBe(false);
});

it.each([
  ['call', inCall],
  ['room', inRoom],
])('tells a %s what was chosen last while the connection was lost', async (_place, enter) => {
  const place = await enter();
  const { alice, heard } = place;
  heard.length = 0;
  alice.suspend();
  const muting = place.mute();
  expect(microphone(place)?.enabled).toBe(false);
  await Promise.all([muting, place.unmute()]);
  expect(microphone(place)?.enabled).toBe(true);
  await until(() => heard.at(-1), 'Alice is heard again');
  alice.suspend();
  const unmuting = place.unmute();
  await Promise.all([unmuting, place.mute()]);
  expect(microphone(place)?.enabled).toBe(false);
  await until(() => heard.at(-1) === false, 'Alice is muted');
});

it('opens a microphone again that the browser has ended, when it is unmuted', async () => {
  const place = await inRoom();
  microphone(place)?.stop();
  await place.mute();
  await until(() => place.heard.at(-1) === false, 'Alice is muted');
  capture = () => Promise.reject(new DOMException('Blocked', 'NotAllowedError'));
  await expect(place.unmute()).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
  capture = bots.getUserMedia;
  await place.unmute();
  expect(microphone(place)).toMatchObject({ readyState: 'live', enabled: true });
  await until(() => place.heard.at(-1), 'Alice is heard again');
  expect(place.heard.slice(-2)).toEqual([false, true]);
});

/** Opens microphones by their ids. Those in `slow` take a moment, and those in `taken` are in use by another program. */
function microphones({ slow = [], taken = [] }: { slow?: string[]; taken?: string[] }) {
  const opened: string[] = [];
  capture = async (constraints) => {
    const { deviceId } = constraints.audio as { deviceId?: { exact: string } };
    const id = deviceId?.exact ?? 'default';
    opened.push(id);
    if (slow.includes(id)) await new Promise((resolve) => setTimeout(resolve, 300));
    if (taken.includes(id)) throw new DOMException('In use', 'NotReadableError');
    const stream = await bots.getUserMedia(constraints);
    for (const track of stream.getTracks())
      Object.defineProperty(track, 'getSettings', { value: () => ({ deviceId: id }) });
    return stream;
  };
  return opened;
}

it('sends from the device that was chosen last, not from the one that opened last', async () => {
  const place = await inRoom();
  const { alice } = place;
  const opened = microphones({ slow: ['slow'] });
  const choosing = [alice.media.setDevice('microphone', 'slow')];
  await nextTick();
  for (const id of ['skipped', 'fast']) choosing.push(alice.media.setDevice('microphone', id));
  await Promise.all(choosing);
  expect(microphone(place)?.getSettings().deviceId).toBe('fast');
  expect(microphone(place)?.readyState).toBe('live');
  expect(opened).toEqual(['slow', 'fast']);
  await alice.media.unpublish(place.id, 'microphone');
  await place.unmute();
  expect(opened.at(-1)).toBe('fast');
});

it('processes the device that was chosen while it opens', async () => {
  const place = await inRoom();
  const { media } = place.alice;
  const opened = microphones({ slow: ['slow'] });
  await Promise.all([
    media.setDevice('microphone', 'slow'),
    media.setAudioProcessing({ noiseSuppression: false }),
  ]);
  expect(opened).toEqual(['slow', 'slow']);
  expect(microphone(place)?.getSettings().deviceId).toBe('slow');
});

it('goes on to send from the old device if another one cannot be opened even after the old one was closed', async () => {
  const place = await inRoom();
  const { media } = place.alice;
  const opened = microphones({ taken: ['taken'] });
  await media.setDevice('microphone', 'old');
  await expect(media.setDevice('microphone', 'taken')).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(opened).toEqual(['old', 'taken', 'taken', 'old']);
  expect(microphone(place)).toMatchObject({ readyState: 'live', enabled: true });
});

it('keeps a track of the app that is published while another device opens', async () => {
  const place = await inRoom();
  const { media } = place.alice;
  microphones({ slow: ['slow'] });
  const [track] = (await bots.getUserMedia({ audio: true })).getTracks() as [MediaStreamTrack];
  const choosing = media.setDevice('microphone', 'slow');
  await nextTick();
  await media.publish(place.id, track, { source: 'microphone' });
  await choosing;
  expect(microphone(place)).toBe(track);
});

it('stays in a room that it has joined again when the first join fails', async () => {
  const alice = await signedIn();
  const { id } = await alice.conference.create({ name: 'Room', maxParticipants: 5 });
  let isAsked = false;
  let refuse = (_error: Error) => {};
  capture = () => {
    isAsked = true;
    return new Promise((_resolve, reject) => (refuse = reject));
  };
  const first = alice.conference.join(id);
  await until(() => isAsked, 'the first join asks for the devices');
  await alice.conference.join({ roomId: id, audio: false, video: false });
  refuse(new DOMException('Blocked', 'NotAllowedError'));
  await expect(first).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
  expect(alice.conference.state(id).get().phase).toBe('joined');
  expect((await alice.conference.get(id)).participants).toHaveLength(1);
  expect(alice.media.receivingState(id)).not.toBeNull();
});

it('publishes a stream that it starts again while its media opens', async () => {
  const alice = await signedIn();
  const { id } = await alice.streaming.create({ title: 'Stream' });
  const start = () => alice.streaming.start({ streamId: id });
  const first = start();
  while (!alice.media.localStream(id)) await nextTick();
  await Promise.all([first, start()]);
  const tracks = alice.media.localStream(id)?.getTracks() ?? [];
  expect(tracks.map(({ readyState }) => readyState)).toEqual(['live', 'live']);
});

it('sends the microphone in a breakout if the user allows it only there', async () => {
  const [alice, bob] = [await signedIn(), await signedIn()];
  const { id: roomId } = await alice.conference.create({ name: 'Lesson', maxParticipants: 5 });
  await alice.conference.join({ roomId, audio: false, video: false });
  let allow = () => {};
  const allowed = new Promise<void>((resolve) => (allow = resolve));
  capture = async (constraints) => {
    await allowed;
    return bots.getUserMedia(constraints);
  };
  const moved = new Promise<string>((resolve) => bob.on('conference:moved', ({ room }) => resolve(room.id)));
  const joined = bob.conference.join({ roomId, video: false });
  const isBob = ({ walletAddress }: { walletAddress: string }) =>
    walletAddress === bob.session?.walletAddress;
  const { id } = await until(() => alice.conference.participants(roomId).find(isBob), 'Bob is in the room');
  await alice.breakouts.create({ roomId, rooms: [{ name: 'Group', participantIds: [id] }] });
  const breakoutId = await moved;
  allow();
  await joined;
  await until(() => bob.conference.state(breakoutId).get().own?.audio, 'Bob is heard');
  expect(bob.media.localStream(breakoutId)?.getAudioTracks()).toHaveLength(1);
});

it('stays disconnected if the app goes to the background before the server has answered resume()', async () => {
  const network = await NetworkProxy.create([server.ports.port], []);
  onTestFinished(() => network.close());
  const bob = await signedIn(`http://${inFront}:${server.ports.port}`);
  network.cut();
  const resuming = bob.resume();
  await nextTick();
  bob.suspend();
  await resuming;
  expect(bob.state).toBe('idle');
});
