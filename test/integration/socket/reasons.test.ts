import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ErrorBody } from '../../../sdk/protocol/errors.ts';
import type { realtimeReasons } from '../../../sdk/protocol/reasons.ts';
import { Parley } from '../../../sdk/src/Parley.ts';
import { RawStreamClient } from '../../harness/clients/RawStreamClient.ts';
import { TestClient } from '../../harness/clients/TestClient.ts';
import { createToken, TestGuest, type WantedToken } from '../../harness/clients/TestGuest.ts';
import { opus, vp8 } from '../../harness/media/mediaFixtures.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { startAnvil, type Anvil } from '../../harness/services/anvil.ts';
import { deployGateContract, type Deployed } from '../../harness/services/gateContracts.ts';
import { RoomDevice } from '../rooms/RoomDevice.ts';
import { closeSockets, connected, send } from '../support.ts';

const chainId = 31_337;
let anvil: Anvil;
let nft: Deployed;
let server: ServerProcess;
let alice: TestClient;
let bob: TestClient;
const guests: TestGuest[] = [];

beforeAll(async () => {
  anvil = await startAnvil(chainId);
  nft = await deployGateContract(anvil, 'GateNft');
  server = await ServerProcess.start({ CHAINS_MAINNET: `${chainId}=${anvil.url}` });
  [alice, bob] = [await TestClient.signIn(server.url), await TestClient.signIn(server.url)];
});
afterAll(async () => {
  closeSockets();
  alice?.close();
  bob?.close();
  for (const guest of guests) guest.close();
  await server?.dispose();
  anvil?.stop();
});

type RoomOptions = Partial<Parameters<typeof alice.parley.conference.create>[0]>;

/** A room of Alice in which Bob has joined with raw requests. */
async function room(options: RoomOptions = {}) {
  const { id } = await alice.parley.conference.create({ name: 'Room', maxParticipants: 2, ...options });
  await alice.parley.conference.join(id);
  const socket = await connected(server.url, bob.parley.session?.token ?? '');
  const guest = await new RoomDevice(server, socket, id).join();
  const produce = (source: string, rtpParameters: object = opus()) =>
    send(socket, 'media.produce', { scope: 'conference', id, source, rtpParameters });
  const ask = (name: string, more: object = {}) =>
    send(socket, `conference.${name}`, { roomId: id, ...more });
  return { id, guest, produce, ask };
}

/** A guest of Alice's room, who has joined it. */
async function guestOf({ id }: { id: string }, wanted: Partial<WantedToken> = {}): Promise<TestGuest> {
  const database = { host: `${server.dataDir}/postgres`, user: 'postgres', database: 'postgres' };
  const guest = new TestGuest(server.url, await createToken(database, id, { identity: 'carol', ...wanted }));
  guests.push(guest);
  await guest.parley.conference.join(id);
  return guest;
}

const stream = async (isPublic = true) =>
  (await alice.parley.streaming.create({ title: 'Stream', isPublic })).id;

const gate = (more: object = {}) =>
  ({ type: 'nft', standard: 'erc721', chainId, contractAddress: nft.address, ...more }) as const;
const holders = () =>
  alice.parley.gatedRooms.create({ name: 'x', maxParticipants: 5, gateType: 'nft', gate: gate() });

/** Reasons of races between nodes, which their own tests cause. */
type OfNodes = 'media_node_unreachable' | 'membership_over' | 'no_such_part' | 'stale_epoch';

/** A refused request for each reason of the realtime side. */
const cases: Record<Exclude<keyof typeof realtimeReasons, OfNodes> | 'room_full', () => Promise<unknown>> = {
  audio_off: async () => (await room({ audio: false })).produce('microphone'),
  banned: async () => {
    const id = await stream();
    await bob.parley.streaming.watch(id);
    await alice.parley.streaming.ban(id, bob.address);
    return bob.parley.streaming.watch(id);
  },
  call_over: async () => {
    const { id } = await alice.parley.calls.start({ to: bob.address, type: 'audio' });
    await alice.parley.calls.end(id);
    return bob.parley.calls.answer(id);
  },
  chat_off: async () => (await room({ settings: { allowChat: false } })).ask('sendChat', { content: 'x' }),
  codec_off: async () => {
    const codec = { mimeType: 'video/VP9', payloadType: 105, clockRate: 90_000, parameters: {} };
    return (await room()).produce('camera', { ...opus(), codecs: [codec] });
  },
  guest: async () => {
    const { token } = await guestOf(await room({ maxParticipants: 3 }));
    return send(await connected(server.url, token.token), 'calls.getActive', {});
  },
  invalid_gate: () =>
    alice.parley.gatedRooms.create({
      ...{ name: 'x', maxParticipants: 5, gateType: 'nft' },
      gate: gate({ contractAddress: bob.address }),
    }),
  moved: async () => {
    const { id, guest, ask } = await room();
    const rooms = [{ name: 'x', participantIds: [guest.participant.id] }];
    await alice.parley.breakouts.create({ roomId: id, rooms });
    return ask('join', { held: [] });
  },
  no_contract: () => alice.parley.gatedRooms.inspect(chainId, bob.address),
  not_a_host: async () => (await room()).ask('end'),
  not_granted: async () => {
    const { id } = await room({ maxParticipants: 3 });
    return (await guestOf({ id }, { canChat: false })).parley.conference.sendChat(id, 'x');
  },
  not_the_host: async () => bob.parley.streaming.end(await stream()),
  not_the_publisher: async () => {
    const id = await stream();
    await RawStreamClient.publish(server.url, alice, id);
    const viewer = await RawStreamClient.create(server.url, bob, id);
    await viewer.ask('streaming.watch', { streamId: id });
    await viewer.join();
    return viewer.produce('microphone');
  },
  not_watching: async () => bob.parley.streaming.sendChat(await stream(), 'x'),
  not_yours: async () => {
    const id = await stream();
    await bob.parley.streaming.watch(id);
    const { message } = await alice.parley.streaming.sendChat(id, 'x');
    return bob.parley.streaming.deleteChat(id, message.id);
  },
  other_room: async () => {
    const { id } = await room();
    return (await guestOf(await room({ maxParticipants: 3 }))).parley.conference.join(id);
  },
  other_network: async () => {
    const { id } = await holders();
    const parley = new Parley({ apiKey: '', baseUrl: server.url, network: 'testnet' });
    await parley.signIn(bob.account);
    return parley.conference.join(id).finally(() => parley.close());
  },
  removed: async () => {
    const { id, guest } = await room();
    await alice.parley.conference.kick(id, guest.participant.id);
    return bob.parley.conference.join(id);
  },
  replaced: async () => {
    const streamId = await stream();
    const first = await RawStreamClient.publish(server.url, alice, streamId);
    const second = await RawStreamClient.create(server.url, alice, streamId);
    await second.ask('streaming.start', { streamId });
    return first.ask('streaming.start', { streamId, held: [first.id] });
  },
  requirement_missing: async () => bob.parley.conference.join((await holders()).id),
  room_ended: async () => {
    const { id } = await room();
    await alice.parley.conference.end(id);
    return bob.parley.conference.join(id);
  },
  room_full: async () => {
    const { id } = await room();
    const carol = await TestClient.signIn(server.url);
    return carol.parley.conference.join(id).finally(() => carol.close());
  },
  room_locked: async () => {
    const options = { name: 'x', maxParticipants: 2, settings: { locked: true } };
    return bob.parley.conference.join((await alice.parley.conference.create(options)).id);
  },
  screen_share_off: async () =>
    (await room({ settings: { allowScreenShare: false } })).produce('screen', vp8()),
  stream_ended: async () => {
    const id = await stream();
    await alice.parley.streaming.end(id);
    return bob.parley.streaming.watch(id);
  },
  token_needed: async () => bob.parley.streaming.watch(await stream(false)),
  token_revoked: () => new Parley({ participantToken: 'pt_unknown', baseUrl: server.url }).guest(),
  token_void: async () => {
    const url = `${server.url}/hls/${await stream(false)}/index.m3u8?token=wrong`;
    return { ok: false, error: (await (await fetch(url)).json()) as ErrorBody };
  },
  unknown_chain: () => alice.parley.gatedRooms.inspect(777, nft.address),
  video_off: async () => (await room({ video: false })).produce('camera', vp8()),
  viewer: async () => {
    const { id, guest, produce } = await room();
    await alice.parley.conference.setRole(id, guest.participant.id, 'viewer');
    return produce('microphone');
  },
};

/** Reasons that older releases do not know. */
const newer = ['call_over', 'guest', 'moved', 'not_granted', 'other_room', 'token_revoked'];

describe('a refused request names its reason', () => {
  it.each(Object.keys(cases) as (keyof typeof cases)[])('%s', async (reason) => {
    const refused = (await cases[reason]().catch((error: unknown) => error)) as ErrorBody & {
      error?: ErrorBody;
    };
    const { reason: given, details } = refused.error ?? refused;
    expect(given, JSON.stringify(refused)).toBe(reason);
    // The last release had it only here. This goes with formerDetails().
    if (!newer.includes(reason)) expect(details?.[0]?.code).toBe(reason);
  });
});
