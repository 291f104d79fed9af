import { execFile } from 'node:child_process';
import { mkdir, readdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { PNG } from 'pngjs';
import { publint } from 'publint';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { buildReactNative } from '../../scripts/packReactNative.mjs';
import {
  Parley,
  type Call,
  type ConnectionState,
  type MediaTrack,
  type Message,
} from '../../sdk/src/index.ts';
import { blocksFor } from '../docs/blocks.ts';
import { BotMedia } from '../harness/clients/BotMedia.ts';
import { RecordingClient } from '../harness/clients/RecordingClient.ts';
import { ServerProcess } from '../harness/nodes/ServerProcess.ts';
import { until } from '../harness/until.ts';
import { Phone } from './Phone.ts';

/*
 * The example app of @parley/react-native in Hermes, with React Native's and react-native-webrtc's own JavaScript, over native modules in
 * Node. docs/guides/react-native.md says which parts of a phone are not here.
 */
interface State {
  state: ConnectionState;
}
type Changed = State;
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const script = (name: string) => here(`../../scripts/${name}`);
const run = promisify(execFile);
const graceSeconds = 3;
const bots = new BotMedia();
let folder: string;
let bundle: string;
let server: ServerProcess;
let phone: Phone;
let bob: RecordingClient;
let alice: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-native-'));
  bundle = join(folder, 'app.js');
  await Promise.all([installSdk(), buildReactNative()]);
  const started = ServerProcess.start({
    CALL_GRACE_SECONDS: String(graceSeconds),
    // On a quick machine, the calls of all tests begin within seconds.
    RATE_LIMIT_CHANGES: '1000',
  });
  await run(process.execPath, [here('bundleApp.mjs'), bundle, folder]);
  server = await started;
  phone = await Phone.start(bundle);
  const { getUserMedia } = bots;
  const media = { handlerName: 'Chrome111', getUserMedia } as const;
  bob = new RecordingClient(new Parley({ apiKey: '', baseUrl: server.url, media }));
  await bob.parley.signIn(privateKeyToAccount(generatePrivateKey()));
  alice = await phone.run('signIn', server.url);
  // On a fresh machine, Metro compiles 750 files.
}, 600_000);
beforeEach(() => phone.system.forget());
afterAll(async () => {
  phone?.close();
  bob?.close();
  bots.close();
  await server?.dispose();
  await rm(folder, { recursive: true, force: true });
});

/** Packs @parley/sdk and unpacks it, as an app installs it. */
async function installSdk(): Promise<void> {
  await run(process.execPath, [script('packSdk.mjs'), '--pack-destination', folder]);
  const archive = (await readdir(folder)).find((name) => name.endsWith('.tgz')) ?? '';
  const installed = join(folder, 'node_modules/@parley/sdk');
  await mkdir(installed, { recursive: true });
  await run('tar', ['-xzf', join(folder, archive), '-C', installed, '--strip-components=1']);
}

const bobsAddress = () => bob.parley.session?.walletAddress ?? '';

/** Waits until audio and video of a call or room have arrived on the phone since now. */
async function mediaFlows(id: string): Promise<void> {
  type Counts = [kind: string, count: number][];
  const before = new Map(await phone.run<Counts>('received', id));
  await until(async () => {
    const now = await phone.run<Counts>('received', id);
    return ['audio', 'video'].every((kind) =>
      now.some(([of, count]) => of === kind && count > (before.get(kind) ?? 0)),
    );
  }, 'audio and video arrive on the phone');
}

async function bobReceives(id: string): Promise<void> {
  await until(async () => {
    const { receiving } = await bob.parley.media.stats(id);
    const inbound = receiving as (RTCInboundRtpStreamStats & { framesDecoded?: number })[];
    const arrived = (wanted: string) =>
      inbound.some(({ type, kind, framesDecoded, packetsReceived }) =>
        type === 'inbound-rtp' && kind === wanted
          ? kind === 'video'
            ? framesDecoded
            : packetsReceived
          : false,
      );
    return arrived('audio') && arrived('video');
  }, 'audio and video arrive at the other wallet');
}

/** Waits until the phone has told the server how it shows a video. */
async function viewReported(view: object): Promise<void> {
  const expected = Object.entries(view).map(([name, value]) => `"${name}":${value}`);
  await until(
    () => {
      const [last] = phone.network.sent.filter((message) => message.includes('"media.view"')).slice(-1);
      return expected.every((text) => last?.includes(text));
    },
    `the phone reports ${JSON.stringify(view)}`,
  );
}

/** Starts a call from the phone, which is answered. @returns its id, once media has arrived */
async function talk(): Promise<string> {
  const seen = bob.seen('call:incoming').length;
  const started = phone.run<Call>('startCall', bobsAddress());
  const { id } = await until(() => bob.seen('call:incoming')[seen], 'the call rings');
  await bob.parley.calls.answer(id);
  await started;
  await mediaFlows(id);
  return id;
}

it('is bundled to a script that the compiler of React Native accepts', async () => {
  const { stderr } = await run(
    here(
      `node_modules/hermes-compiler/hermesc/${process.platform === 'darwin' ? 'osx-bin' : 'linux64-bin'}/hermesc`,
    ),
    ['-w', '-O0', '-emit-binary', '-out', join(folder, 'app.hbc'), bundle],
  );
  expect(stderr).toBe('');
});

it('starts in an engine without the globals of browsers, and signs in', async () => {
  const globals = await phone.run<string[]>('globals');
  for (const name of [
    'document',
    'location',
    'localStorage',
    'ResizeObserver',
    'MediaRecorder',
    'TextEncoder',
  ])
    expect(globals).not.toContain(name);
  expect(globals).toEqual(expect.arrayContaining(['crypto', 'RTCPeerConnection', 'MediaStream']));
  expect(await phone.run('apps')).toContain('main');
  expect(alice).toMatch(/^0x/);
  expect(await phone.run('state')).toEqual({ state: 'connected', app: 'active' });
});

it('sends and receives messages, and a file by its address', async () => {
  await phone.run('send', bobsAddress(), 'From the phone ☎');
  await bob.event('message:received', ({ content }) => content === 'From the phone ☎');
  await bob.parley.messages.send({ to: alice, content: 'To the phone', type: 'text' });
  await phone.system.event<Message>('message:received', ({ content }) => content === 'To the phone');
  const photo = join(folder, 'photo.png');
  await writeFile(photo, PNG.sync.write(new PNG({ width: 8, height: 8 })));
  await phone.run('sendFile', bobsAddress(), pathToFileURL(photo).href);
  const { media } = await bob.event('message:received', ({ type }) => type === 'image');
  expect(media?.mimeType).toBe('image/png');
});

const over = (uuid: string) => ['RNCallKeep.reportEndCallWithUUID', uuid] as const;

it('answers a call on the call screen, and exchanges audio and video', async () => {
  const { id } = await bob.parley.calls.start({ to: alice, type: 'video' });
  const uuid = await phone.run<string>('callUuid', id);
  await phone.system.wasTold('RNCallKeep.displayIncomingCall', uuid);
  phone.system.onCallScreen('Answer', uuid);
  await bob.event('call:answered', (call) => call.id === id);
  await phone.system.event<MediaTrack>('media:track', ({ source }) => source === 'camera');
  await Promise.all([mediaFlows(id), bobReceives(id)]);
  // Servers up to 0.1.0 also send the answering phone the outcome of the call.
  await phone.run('wake', { version: '1', kind: 'call', id, from: bobsAddress(), outcome: 'answered' });
  expect(phone.system.told.map((each) => each.slice(0, 2))).not.toContainEqual(over(uuid));
  phone.system.onCallScreen('End', uuid);
  await bob.event('call:ended', (call) => call.id === id);
});

it('answers a call that the user has answered before the app ran', async () => {
  const { id } = await bob.parley.calls.start({ to: alice, type: 'audio' });
  const uuid = await phone.run<string>('callUuid', id);
  await phone.system.wasTold('RNCallKeep.displayIncomingCall', uuid);
  phone.system.happened('Answer', uuid);
  await bob.event('call:answered', (call) => call.id === id);
  await phone.system.wasTold('RNCallKeep.clearInitialEvents');
  phone.system.onCallScreen('End', uuid);
  await bob.event('call:ended', (call) => call.id === id);
});

it('declines a call that is ended on the call screen before the microphone is open', async () => {
  const open = phone.webRtc.getUserMedia.bind(phone.webRtc);
  let allow = () => {};
  const allowed = new Promise<void>((resolve) => (allow = resolve));
  const asking = vi.spyOn(phone.webRtc, 'getUserMedia').mockImplementation(async (constraints) => {
    await allowed;
    return open(constraints);
  });
  try {
    const { id } = await bob.parley.calls.start({ to: alice, type: 'audio' });
    const uuid = await phone.run<string>('callUuid', id);
    await phone.system.wasTold('RNCallKeep.displayIncomingCall', uuid);
    phone.system.onCallScreen('Answer', uuid);
    await until(() => asking.mock.calls.length > 0, 'the phone asks for the microphone');
    phone.system.onCallScreen('End', uuid);
    await bob.event('call:declined', (call) => call.id === id);
  } finally {
    allow();
    asking.mockRestore();
  }
});

it('shows the calls that an FCM or PushKit push announces, and closes the call screen when they are over', async () => {
  const push = { version: '1', kind: 'call', type: 'audio' };
  // Some packages for FCM have the id of the Firebase project as `from`.
  for (const caller of [{ sender: bobsAddress(), from: '123456789012' }, { from: bobsAddress() }]) {
    const { id } = await bob.parley.calls.start({ to: alice, type: 'audio' });
    const uuid = await phone.run<string>('callUuid', id);
    await phone.run('wake', { ...push, id, ...caller });
    await phone.system.wasTold('RNCallKeep.displayIncomingCall', uuid, bobsAddress());
    expect(phone.system.told.map((each) => each.slice(0, 2))).not.toContainEqual(over(uuid));
    await phone.run('wake', { ...push, id, ...caller, outcome: 'missed' });
    await phone.system.wasTold(...over(uuid));
    await bob.parley.calls.end(id);
  }
});

it('does not show a call again that was declined before its event came', async () => {
  const release = phone.network.holdFrom('"call:incoming"');
  const { id } = await bob.parley.calls.start({ to: alice, type: 'audio' });
  const uuid = await phone.run<string>('callUuid', id);
  const waking = phone.run('wake', { version: '1', kind: 'call', type: 'audio', id, from: bobsAddress() });
  const show = 'RNCallKeep.displayIncomingCall';
  await phone.system.wasTold(show, uuid);
  const before = phone.network.sent.length;
  phone.system.onCallScreen('End', uuid);
  const declines = (message: string) => message.includes('"calls.decline"');
  await until(() => phone.network.sent.slice(before).some(declines), 'the phone declines the call');
  release();
  await waking;
  await bob.event('call:declined', (call) => call.id === id);
  const shown = phone.system.told.filter(([method, value]) => method === show && value === uuid);
  expect(shown).toHaveLength(1);
});

it('closes the call screen of a call that was over when its push arrived', async () => {
  const id = 'call_00000000000000000000woke';
  const uuid = await phone.run<string>('callUuid', id);
  await phone.run('wake', { version: '1', kind: 'call', type: 'audio', id, from: bobsAddress() });
  await phone.system.wasTold('RNCallKeep.displayIncomingCall', uuid, bobsAddress());
  await phone.system.wasTold(...over(uuid), 3);
});

it('calls, shows the video at its size and hides it in the background', async () => {
  const id = await talk();
  const uuid = await phone.run<string>('callUuid', id);
  await phone.system.wasTold('RNCallKeep.startCall', uuid, bobsAddress());
  await phone.system.event<MediaTrack>('media:track', ({ source }) => source === 'camera');
  const url = await phone.run<string>('showVideo', `${id} camera`, 120, 90);
  expect([...(phone.webRtc.streams.get(url) ?? [])]).toEqual([expect.stringMatching(/^video-/)]);
  // The screen has 2.75 pixels per point.
  await viewReported({ isVisible: true, width: 330, height: 248 });
  phone.system.setAppState('background');
  await viewReported({ isVisible: false });
  phone.system.setAppState('active');
  await viewReported({ isVisible: true, width: 330, height: 248 });
  await phone.run('unmountVideo');
  await viewReported({ isVisible: false });
  expect(phone.webRtc.streams.has(url)).toBe(false);
  await phone.run('endCall', id);
  await bob.event('call:ended', (call) => call.id === id);
});

/** Starts a call from the phone. Its media is not ready before the phone has received what the other wallet does. */
async function startSlowly(then: (id: string) => Promise<unknown>, heard: string): Promise<Call> {
  const create = phone.webRtc.peerConnectionCreateOffer.bind(phone.webRtc);
  let isHeard = () => {};
  const hearing = new Promise<void>((resolve) => (isHeard = resolve));
  const slow = vi.spyOn(phone.webRtc, 'peerConnectionCreateOffer').mockImplementation(async (...values) => {
    await hearing;
    return create(...values);
  });
  try {
    const seen = bob.seen('call:incoming').length;
    const started = phone.run<Call>('startCall', bobsAddress());
    const { id } = await until(() => bob.seen('call:incoming')[seen], 'the call rings');
    await then(id);
    await phone.system.event<Call>(heard, (call) => call.id === id);
    expect(slow).toHaveBeenCalled();
    isHeard();
    return await started;
  } finally {
    isHeard();
    slow.mockRestore();
  }
}

it('shows no call that was declined before its media was ready', async () => {
  const { id, status } = await startSlowly((call) => bob.parley.calls.decline(call), 'call:declined');
  expect(status).toBe('declined');
  const uuid = await phone.run<string>('callUuid', id);
  expect(phone.system.told.filter(([, value]) => value === uuid)).toEqual([]);
});

it('shows as connected a call that was answered before its media was ready', async () => {
  const { id, status } = await startSlowly((call) => bob.parley.calls.answer(call), 'call:answered');
  expect(status).toBe('active');
  const uuid = await phone.run<string>('callUuid', id);
  await phone.system.wasTold('RNCallKeep.setCurrentCallActive', uuid);
  const told = phone.system.told.filter(([, value]) => value === uuid);
  expect(told.map(([method]) => method)).toEqual(['RNCallKeep.startCall', 'RNCallKeep.setCurrentCallActive']);
  await phone.run('endCall', id);
  await bob.event('call:ended', (call) => call.id === id);
});

it('shows as answered the call of a wallet that it calls at the same moment', async () => {
  const { id } = await bob.parley.calls.start({ to: alice, type: 'video' });
  const uuid = await phone.run<string>('callUuid', id);
  await phone.system.wasTold('RNCallKeep.displayIncomingCall', uuid);
  expect(await phone.run<Call>('startCall', bobsAddress())).toMatchObject({ id, status: 'active' });
  await phone.system.wasTold('RNCallKeep.setCurrentCallActive', uuid);
  expect(
    phone.system.told.filter(([method, value]) => method.endsWith('.startCall') && value === uuid),
  ).toEqual([]);
  await phone.run('endCall', id);
  await bob.event('call:ended', (call) => call.id === id);
});

it('closes the call screen when another device continues the call, which then goes on', async () => {
  const id = await talk();
  const uuid = await phone.run<string>('callUuid', id);
  const sessionToken = await phone.run<string>('token');
  const { getUserMedia } = bots;
  const media = { handlerName: 'Chrome111', getUserMedia } as const;
  const laptop = new Parley({ apiKey: '', baseUrl: server.url, sessionToken, media });
  try {
    await laptop.calls.rejoin(id);
    const answeredElsewhere = 4;
    await phone.system.wasTold('RNCallKeep.reportEndCallWithUUID', uuid, answeredElsewhere);
    expect(await laptop.calls.getActive()).toMatchObject([{ id, status: 'active' }]);
    await laptop.calls.end(id);
    await bob.event('call:ended', (call) => call.id === id);
  } finally {
    laptop.close();
  }
});

/** Starts a call from the phone, to which the other wallet adds somebody. @returns the room that it becomes */
async function talkInRoom(): Promise<{ id: string; uuid: string; roomId: string }> {
  const id = await talk();
  const uuid = await phone.run<string>('callUuid', id);
  const carol = privateKeyToAccount(generatePrivateKey()).address;
  const { id: roomId } = await bob.parley.calls.addPeople(id, [carol]);
  await phone.system.event<{ callId: string }>('call:moved', ({ callId }) => callId === id);
  await mediaFlows(roomId);
  expect(phone.system.told.map((each) => each.slice(0, 2))).not.toContainEqual(over(uuid));
  return { id, uuid, roomId };
}

it('mutes and leaves the room that a call has become, on the call screen', async () => {
  const { uuid, roomId } = await talkInRoom();
  expect(await phone.run('sends', roomId)).toBe(true);
  phone.system.mute(uuid, true);
  await until(async () => (await phone.run('sends', roomId)) === false, 'the phone is muted in the room');
  phone.system.onCallScreen('End', uuid);
  await bob.event('conference:participant:left', (left) => left.roomId === roomId);
  await bob.parley.conference.end(roomId);
});

it('closes the call screen when the room that a call has become ends', async () => {
  const { uuid, roomId } = await talkInRoom();
  await bob.parley.conference.end(roomId);
  await phone.system.wasTold(...over(uuid));
});

it('joins a room', async () => {
  const { id } = await bob.parley.conference.create({ name: 'Room', maxParticipants: 4 });
  await bob.parley.conference.join(id);
  await phone.run('join', id);
  await mediaFlows(id);
  await phone.run('chat', id, 'Hello from the phone');
  await bob.event('conference:chat:message', ({ message }) => message.content === 'Hello from the phone');
  await phone.run('leave', id);
  await bob.parley.conference.leave(id);
});

it('disconnects again when the call is over for which a push has woken it in the background', async () => {
  const isIdle = async () => (await phone.run<State>('state')).state === 'idle';
  phone.system.setAppState('background');
  await until(isIdle, 'the app disconnects');
  for (const ends of ['Bob', 'the phone']) {
    const { id } = await bob.parley.calls.start({ to: alice, type: 'audio' });
    const uuid = await phone.run<string>('callUuid', id);
    await phone.run('wake', { version: '1', kind: 'call', type: 'audio', id, from: bobsAddress() });
    expect((await phone.run<State>('state')).state).toBe('connected');
    if (ends === 'Bob') await bob.parley.calls.end(id);
    else phone.system.onCallScreen('End', uuid);
    if (ends === 'Bob') await phone.system.wasTold(...over(uuid));
    else await bob.event('call:declined', (call) => call.id === id);
    await until(isIdle, 'the app disconnects again');
  }
  phone.system.setAppState('active');
  await until(async () => (await phone.run<State>('state')).state === 'connected', 'the app connects');
});

it('disconnects in the background, and returns with what it missed', async () => {
  phone.system.setAppState('background');
  await until(async () => (await phone.run<State>('state')).state === 'idle', 'the app disconnects');
  await bob.parley.messages.send({ to: alice, content: 'While you were away', type: 'text' });
  phone.system.setAppState('active');
  await phone.system.event<Message>('message:received', ({ content }) => content === 'While you were away');
});

it('disconnects in the background when its call is over', async () => {
  const id = await talk();
  phone.system.setAppState('background');
  await bob.parley.calls.end(id);
  await until(async () => (await phone.run<State>('state')).state === 'idle', 'the app disconnects');
  phone.system.setAppState('active');
  await until(async () => (await phone.run<State>('state')).state === 'connected', 'the app connects');
});

it('continues a call after a second without network', async () => {
  const id = await talk();
  phone.network.setOnline(false, true);
  await phone.system.event<Changed>('connection:changed', ({ state }) => state === 'reconnecting');
  phone.sleep();
  phone.wake(1_000);
  phone.network.setOnline(true, true);
  await phone.system.event<Changed>('connection:changed', ({ state }) => state === 'connected');
  await mediaFlows(id);
  expect(await phone.run<Call[]>('activeCalls')).toMatchObject([{ id, status: 'active' }]);
  expect(bob.seen('call:ended').some((call) => call.id === id)).toBe(false);
  await phone.run('endCall', id);
  await bob.event('call:ended', (call) => call.id === id);
});

it('checks its connection when the network changes during a call in the background', async () => {
  const id = await talk();
  phone.system.setAppState('background');
  const before = phone.network.sent.length;
  phone.network.switchTo('cellular');
  const probe = `"after":${Number.MAX_SAFE_INTEGER}`;
  const hasAsked = () => phone.network.sent.slice(before).some((message) => message.includes(probe));
  await until(hasAsked, 'the phone asks whether its connection still works');
  phone.system.setAppState('active');
  await phone.run('endCall', id);
  await bob.event('call:ended', (call) => call.id === id);
});

it('learns after 25 seconds without network that the call is over, and can call again', async () => {
  const id = await talk();
  phone.network.setOnline(false, false);
  phone.sleep();
  // The server's grace period is shorter here, so this is what it does after 20 seconds by default.
  await bob.event('call:ended', (call) => call.id === id);
  await bob.parley.messages.send({ to: alice, content: 'Where are you?', type: 'text' });
  phone.network.setOnline(true, true);
  phone.wake(25_000);
  await phone.system.event<Call>('call:ended', (call) => call.id === id);
  await phone.system.event<Message>('message:received', ({ content }) => content === 'Where are you?');
  expect(await phone.run('activeCalls')).toEqual([]);
  await phone.run('endCall', await talk());
});

it('returns to its room after ten minutes asleep, though the server had removed it', async () => {
  const { id } = await bob.parley.conference.create({ name: 'Room', maxParticipants: 4 });
  await bob.parley.conference.join(id);
  await phone.run('join', id);
  await mediaFlows(id);
  phone.system.setAppState('background');
  phone.network.setOnline(false, false);
  phone.sleep();
  await bob.event('conference:participant:left', ({ roomId }) => roomId === id);
  phone.network.setOnline(true, false);
  phone.wake(600_000);
  phone.system.setAppState('active');
  const joined = () => bob.seen('conference:participant:joined').filter(({ roomId }) => roomId === id);
  await until(() => joined().length === 2, 'the phone joins again');
  await phone.system.event<MediaTrack>('media:track:ended', (track) => track.id === id);
  await mediaFlows(id);
  await phone.run('leave', id);
});

it('closes the call screen when the session ends', async () => {
  const id = await talk();
  const uuid = await phone.run<string>('callUuid', id);
  await phone.run('signOut');
  await phone.system.wasTold(...over(uuid));
});

it('is a package that bundlers and types accept', async () => {
  await run(process.execPath, [script('packReactNative.mjs')]);
  const { messages } = await publint({ pkgDir: here('../../sdk/react-native'), pack: 'npm', strict: true });
  expect(messages).toEqual([]);
});

it('contains the examples of the guide', async () => {
  const examples = blocksFor('docs/guides/react-native.md', 'reactNative.test.ts');
  const names = ['App.tsx', 'install.ts', 'openClient.ts'];
  const files = await Promise.all(
    names.map((name) => readFile(here(`../../sdk/react-native/example/${name}`), 'utf8')),
  );
  const plain = (text: string) => text.replace(/\s+/g, ' ').trim();
  const app = plain(files.join('\n'));
  expect(examples.length).toBeGreaterThan(5);
  expect(examples.filter((example) => !app.includes(plain(example)))).toEqual([]);
});

it('configures an Expo app', async () => {
  const { stdout } = await run(process.execPath, [here('readExpoConfig.cjs')]);
  const { infoPlist, permissions, services } = JSON.parse(stdout) as Record<string, Record<string, string>>;
  expect(infoPlist).toMatchObject({
    NSCameraUsageDescription: expect.stringContaining('camera') as string,
    NSMicrophoneUsageDescription: 'We need to hear you.',
    UIBackgroundModes: ['fetch', 'audio', 'remote-notification', 'voip'],
  });
  expect(permissions).toEqual(
    expect.arrayContaining(['CAMERA', 'RECORD_AUDIO', 'FOREGROUND_SERVICE_MICROPHONE', 'MANAGE_OWN_CALLS']),
  );
  expect(services).toEqual({
    'app.notifee.core.ForegroundService': 'camera|microphone',
    'io.wazo.callkeep.VoiceConnectionService': 'camera|microphone|phoneCall',
  });
});

it('leaves nothing uncaught', () => {
  expect(phone.uncaught).toEqual([]);
  // The end of a call may close a connection that makes its offer at that moment.
  const ofClosed = /There is no peer connection|signalingState is 'closed'/;
  expect(phone.failedCalls.filter((call) => !ofClosed.test(call))).toEqual([]);
});
