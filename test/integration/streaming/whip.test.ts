import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { eq, sql } from 'drizzle-orm';
import { parse } from 'sdp-transform';
import * as offers from '../../harness/media/sdp/offers.ts';
import { vp8 } from '../../harness/media/mediaFixtures.ts';
import { HeldMedia } from '../../harness/nodes/HeldMedia.ts';
import { RouterPeer } from '../../../media/router/RouterPeer.ts';
import type { OwnNode } from '../../../platform/node/OwnNode.ts';
import { SessionStore } from '../../../server/streaming/webrtc/SessionStore.ts';
import { webrtcSessions } from '../../../server/streaming/webrtc/tables.ts';
import { streams, streamWatchings } from '../../../signaling/streaming/tables.ts';
import { WatchingStore } from '../../../signaling/streaming/WatchingStore.ts';
import { WebrtcServer, type WebrtcNode } from './webrtcSupport.ts';

/* Responses of WHIP and WHEP to recorded offers of real clients, as RFC 9725 and the WHEP draft require. No media is sent. */

let server: WebrtcServer;
const fragment = 'application/trickle-ice-sdpfrag';
const trickled =
  'a=ice-ufrag:eN6h\r\na=ice-pwd:x\r\nm=audio 9 RTP/AVP 0\r\na=mid:0\r\na=candidate:1 1 UDP 1 192.0.2.1 9 typ host\r\n';

/** As after a restart of the client's ICE. */
const restarting = trickled.replace('eN6h', 'nEw4');

beforeAll(async () => {
  server = await WebrtcServer.open();
});
afterAll(() => server?.close());
beforeEach(() => {
  server.stream.calls.length = 0;
  server.stream.isGated = false;
});

function publish(body = offers.obsPublishing, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(server.whip, {
    method: 'POST',
    headers: { 'Content-Type': 'application/sdp', Authorization: `Bearer ${server.stream.key}`, ...headers },
    body,
  });
}

const watch = (query = '', headers: Record<string, string> = {}, body = offers.firefoxWatching) =>
  fetch(`${server.whep}${query}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/sdp', ...headers },
    body,
  });

const patch = (location: string, body: string, headers: Record<string, string> = {}) =>
  fetch(`${server.url}${location}`, {
    method: 'PATCH',
    headers: { 'Content-Type': fragment, ...headers },
    body,
  });

const locationOf = (response: Response) => response.headers.get('location') ?? '';
const errorOf = async (response: Response) => [
  response.status,
  ((await response.json()) as { error: string }).error,
];

describe('POST /whip', () => {
  it('answers an offer with the URL of the session, the ICE session and TURN servers', async () => {
    const response = await publish();
    expect(response.status).toBe(201);
    expect(response.headers.get('content-type')).toBe('application/sdp');
    expect(locationOf(response)).toMatch(/^\/whip\/[0-9A-Za-z]{32}$/);
    expect(response.headers.get('etag')).toMatch(/^"[0-9A-Za-z]{16}"$/);
    expect(response.headers.get('accept-patch')).toBe(fragment);
    expect(response.headers.get('link')).toMatch(
      /^<turn:turn\.example\.org:3478\?transport=udp>; rel="ice-server"; username="\d+:par_[0-9A-Za-z]+"; credential="[^"]+"; credential-type="password"$/,
    );
    const answer = parse(await response.text());
    expect(answer.media.map(({ direction, setup }) => [direction, setup])).toEqual([
      ['recvonly', 'passive'],
      ['recvonly', 'passive'],
    ]);
    expect((await server.cluster.room(server.stream.streamId).peers({}))[0]?.sending).toEqual([
      'camera',
      'microphone',
    ]);
  });

  it('accepts simulcast and the offers of all tested clients', async () => {
    for (const offer of [offers.obsSimulcast, offers.chromiumPublishing, offers.gstreamerPublishing])
      expect((await publish(offer)).status).toBe(201);
  });

  it('accepts one layer where mediasoup cannot forward simulcast', async () => {
    const [layers = ''] = /a=extmap[^]*?(?=a=rtpmap:96)/.exec(offers.obsSimulcast) ?? [];
    expect((await publish(offers.obsSimulcast.replaceAll('H264', 'VP9'))).status).toBe(201);
    expect(
      (await publish(offers.obsPublishing.replace('a=rtpmap:111', `${layers}a=rtpmap:111`))).status,
    ).toBe(201);
  });

  it('replaces the publisher with the newest one', async () => {
    const first = await publish();
    const second = await publish();
    expect(await server.cluster.room(server.stream.streamId).peers({})).toHaveLength(1);
    const endFirst = () => fetch(`${server.url}${locationOf(first)}`, { method: 'DELETE' });
    // Its session ends soon after its media. Until then, ending it has no effect.
    await expect.poll(async () => (await endFirst()).status).toBe(404);
    expect((await fetch(`${server.url}${locationOf(second)}`, { method: 'DELETE' })).status).toBe(200);
  });

  it('keeps the current publisher when an offer is rejected', async () => {
    await publish();
    const peers = await server.cluster.room(server.stream.streamId).peers({});
    expect((await publish('v=0\r\n')).status).toBe(422);
    expect(await errorOf(await publish(offers.chromiumWatching))).toEqual([422, 'validation_failed']);
    const twice = offers.obsPublishing.replaceAll('1893467323', '1893467322');
    expect(await errorOf(await publish(twice))).toEqual([422, 'validation_failed']);
    const sameMid = offers.obsPublishing.replace('a=mid:1', 'a=mid:0');
    expect(await errorOf(await publish(sameMid))).toEqual([422, 'validation_failed']);
    const oddCodec = offers.obsPublishing.replace('H264', '264');
    expect(await errorOf(await publish(oddCodec))).toEqual([406, 'not_acceptable']);
    expect(await server.cluster.room(server.stream.streamId).peers({})).toEqual(peers);
  });

  it.each([
    ['no key', { Authorization: '' }, undefined, 401, 'missing_credentials'],
    ['another kind of credential', { Authorization: 'Basic c2s6' }, undefined, 401, 'missing_credentials'],
    ['a wrong key', { Authorization: 'Bearer sk_wrong' }, undefined, 401, 'invalid_token'],
    ['another content type', { 'Content-Type': 'application/json' }, '{}', 415, 'unsupported_media_type'],
    ['a body that is too large', {}, `v=0\r\n${'a=x\r\n'.repeat(20_000)}`, 413, 'payload_too_large'],
    ['no SDP', {}, 'hello', 400, 'invalid_request'],
    ['no BUNDLE', {}, offers.obsPublishing.replace('a=group:BUNDLE 0 1\r\n', ''), 422, 'validation_failed'],
    ['video in AV1', {}, offers.obsPublishing.replace('H264', 'AV1'), 406, 'not_acceptable'],
    [
      'no supported codec',
      {},
      offers.obsPublishing.replace('H264', 'H265').replace('opus', 'G719'),
      406,
      'not_acceptable',
    ],
  ])('refuses %s', async (_name, headers, body, status, error) => {
    const response = await publish(body, headers);
    expect(response.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null);
    expect(await errorOf(response)).toEqual([status, error]);
    expect(server.stream.calls).toEqual([]);
  });

  it('refuses other methods', async () => {
    const response = await fetch(server.whip);
    expect(response.headers.get('allow')).toBe('POST, OPTIONS');
    expect(await errorOf(response)).toEqual([405, 'method_not_allowed']);
  });

  it('accepts requests from any origin', async () => {
    const response = await fetch(server.whip, {
      method: 'OPTIONS',
      headers: { Origin: 'https://studio.example', 'Access-Control-Request-Method': 'POST' },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get('accept-post')).toBe('application/sdp');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-allow-headers')).toContain('If-Match');
    expect((await publish()).headers.get('access-control-expose-headers')).toContain('Location');
  });

  it('limits the new sessions per address', async () => {
    const busy = await WebrtcServer.open({ perMinute: { whip: 1, whep: 1 } });
    try {
      const post = () => fetch(busy.whip, { method: 'POST' });
      expect((await post()).status).toBe(401);
      const refused = await post();
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await errorOf(refused)).toEqual([429, 'rate_limit_exceeded']);
    } finally {
      await busy.close();
    }
  });
});

describe('a WHIP session', () => {
  const begin = async () => {
    const response = await publish();
    return { location: locationOf(response), etag: response.headers.get('etag') ?? '' };
  };

  it('accepts only candidates of the current ICE session, which If-Match must name', async () => {
    const { location, etag } = await begin();
    expect((await patch(location, trickled, { 'If-Match': etag })).status).toBe(204);
    expect(await errorOf(await patch(location, trickled))).toEqual([428, 'precondition_required']);
    expect(await errorOf(await patch(location, trickled, { 'If-Match': '"another"' }))).toEqual([
      412,
      'precondition_failed',
    ]);
    const wrong = await patch(location, '{}', { 'If-Match': etag, 'Content-Type': 'application/json' });
    expect(await errorOf(wrong)).toEqual([415, 'unsupported_media_type']);
    expect(await errorOf(await patch(location, 'hello', { 'If-Match': etag }))).toEqual([
      400,
      'invalid_request',
    ]);
  });

  it('restarts ICE', async () => {
    const { location, etag } = await begin();
    const response = await patch(location, restarting, { 'If-Match': '"*"' });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(fragment);
    const fresh = response.headers.get('etag') ?? '';
    expect(fresh).not.toBe(etag);
    expect(await response.text()).toMatch(/a=ice-ufrag:\S+\r\na=ice-pwd:\S+\r\n/);
    expect((await patch(location, trickled, { 'If-Match': etag })).status).toBe(412);
    expect((await patch(location, trickled, { 'If-Match': fresh })).status).toBe(204);
  });

  it('takes no candidates for a restart, also if If-Match names no ICE session', async () => {
    const { location, etag } = await begin();
    const any = { 'If-Match': '*' };
    expect((await patch(location, trickled, any)).status).toBe(204);
    expect((await patch(location, trickled, { 'If-Match': etag })).status).toBe(204);
    expect((await patch(location, restarting, any)).status).toBe(200);
    expect((await patch(location, restarting, any)).status).toBe(204);
    expect((await patch(location, trickled, any)).status).toBe(200);
  });

  it('can be ended only once', async () => {
    const { location } = await begin();
    const end = () => fetch(`${server.url}${location}`, { method: 'DELETE' });
    expect((await end()).status).toBe(200);
    expect(await server.cluster.room(server.stream.streamId).peers({})).toEqual([]);
    expect(server.stream.calls.at(-1)).toMatch(/^lost /);
    expect(await errorOf(await end())).toEqual([404, 'not_found']);
    expect((await patch(location, trickled, { 'If-Match': '"*"' })).status).toBe(404);
    expect((await fetch(`${server.url}${location}`)).status).toBe(405);
  });

  it('leaves nothing behind if it ends while its peer enters the room', async () => {
    const held = new HeldMedia().next('join');
    const publishing = publish();
    await held.arrived;
    const { publisherId } = server.stream.publisher ?? {};
    server.stream.publisher?.onReplaced();
    await expect.poll(() => server.stream.calls).toContain(`lost ${publisherId}`);
    held.release();
    expect((await publishing).status).toBe(409);
    expect(await server.cluster.room(server.stream.streamId).peers({})).toEqual([]);
    // The sessions of earlier publishers end meanwhile.
    const stored = () => server.db.select().from(webrtcSessions).where(eq(webrtcSessions.kind, 'whip'));
    await expect.poll(stored).toEqual([]);
  });

  it('is not a WHEP session', async () => {
    const { location } = await begin();
    const whepLocation = location.replace('/whip/', '/whep/playback/');
    expect((await fetch(`${server.url}${whepLocation}`, { method: 'DELETE' })).status).toBe(404);
  });

  it('can restart ICE and be ended through another node', async () => {
    const { location } = await begin();
    const other = await server.anotherNode();
    try {
      const at = `${other.url}${location}`;
      const headers = { 'Content-Type': fragment, 'If-Match': '"*"' };
      expect((await fetch(at, { method: 'PATCH', headers, body: restarting })).status).toBe(200);
      expect((await fetch(at, { method: 'DELETE' })).status).toBe(200);
      expect(await server.cluster.room(server.stream.streamId).peers({})).toEqual([]);
    } finally {
      await other.close();
    }
  });

  it('does not store the id of its URL', async () => {
    const { location } = await begin();
    const { rows } = await server.db.execute(sql`SELECT * FROM webrtc_sessions`);
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(location.split('/').at(-1));
  });

  it('ends with its node', async () => {
    const node = await server.anotherNode();
    const response = await fetch(`${node.url}/whip`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/sdp', Authorization: `Bearer ${server.stream.key}` },
      body: offers.obsPublishing,
    });
    expect(response.status).toBe(201);
    const [peer] = await server.cluster.room(server.stream.streamId).peers({});
    await node.close();
    expect(await server.cluster.room(server.stream.streamId).peers({})).toEqual([]);
    const rows = await server.db
      .select()
      .from(webrtcSessions)
      .where(eq(webrtcSessions.peerId, peer?.peerId ?? ''));
    expect(rows).toEqual([]);
  });
});

describe('POST /whep/:id', () => {
  it('answers with the payload types of the offer', async () => {
    await publish();
    const response = await watch();
    expect(response.status).toBe(201);
    expect(locationOf(response)).toMatch(/^\/whep\/playback\/[0-9A-Za-z]{32}$/);
    expect(response.headers.get('content-type')).toBe('application/sdp');
    const answer = parse(await response.text());
    expect(answer.media.map(({ payloads }) => payloads)).toEqual([109, '120 121 126']);
    expect(server.stream.watchers.size).toBe(1);
    expect((await fetch(`${server.url}${locationOf(response)}`, { method: 'DELETE' })).status).toBe(200);
    expect(server.stream.watchers.size).toBe(0);
  });

  it('names a TURN user for each player, because a TURN server limits the relays of a user', async () => {
    await publish();
    const users = [await watch(), await watch()].map(({ headers }) =>
      /username="\d+:(\w+)"/.exec(headers.get('link') ?? '')?.at(1),
    );
    expect(users).toEqual([...server.stream.watchers.keys()].slice(-2));
    expect(new Set(users).size).toBe(2);
  });

  it('requires a token for a private stream, in the header or the URL', async () => {
    await publish();
    server.stream.isGated = true;
    expect(await errorOf(await watch())).toEqual([401, 'invalid_token']);
    expect((await watch('?token=wrong')).status).toBe(401);
    expect((await watch(`?token=${server.stream.token}`)).status).toBe(201);
    expect((await watch('', { Authorization: `Bearer ${server.stream.token}` })).status).toBe(201);
  });

  it('takes an empty token in the URL for none, as HLS does', async () => {
    await publish();
    expect((await watch('?token=')).status).toBe(201);
    expect((await watch('?token=wrong')).status).toBe(401);
    server.stream.isGated = true;
    expect(await errorOf(await watch('?token='))).toEqual([401, 'invalid_token']);
  });

  it('answers 409 with Retry-After for a stream that has not started', async () => {
    const idle = await WebrtcServer.open();
    try {
      const headers = { 'Content-Type': 'application/sdp' };
      const response = await fetch(idle.whep, { method: 'POST', headers, body: offers.firefoxWatching });
      expect(response.headers.get('retry-after')).toBe('5');
      expect(await errorOf(response)).toEqual([409, 'conflict']);
      expect(idle.stream.watchers.size).toBe(0);
    } finally {
      await idle.close();
    }
  });

  it.each([
    ['an offer to send', offers.obsPublishing, 422],
    [
      'an offer without a supported codec',
      offers.firefoxWatching.replace(/VP8|VP9|H264|opus/g, 'other'),
      406,
    ],
    ['a body without SDP', '', 400],
  ])('refuses %s', async (_name, body, status) => {
    await publish();
    expect((await watch('', {}, body)).status).toBe(status);
  });

  it('answers 404 for an unknown stream', async () => {
    const response = await fetch(`${server.url}/whep/str_2`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/sdp' },
      body: offers.firefoxWatching,
    });
    expect(response.status).toBe(404);
  });

  it('continues with the next publisher, or ends if the player cannot decode its media', async () => {
    await publish(offers.gstreamerPublishing);
    const players = {
      gstreamer: await watch('', {}, offers.gstreamerWatching),
      firefox: await watch(),
      withoutH264: await watch('', {}, offers.firefoxWatching.replaceAll('H264', 'H265')),
    };
    const declared = parse(await players.gstreamer.text()).media.map(({ ssrcs }) => ssrcs?.length);
    expect(declared).toEqual([2, 2]);
    expect(await players.firefox.text()).not.toContain('a=ssrc:');
    // An existing session answers 412, an ended one 404.
    const statusOf = async (player: Response) =>
      (await patch(locationOf(player), trickled, { 'If-Match': '"another"' })).status;
    for (const player of Object.values(players)) expect(await statusOf(player)).toBe(412);
    await publish(offers.obsPublishing);
    await expect.poll(() => statusOf(players.gstreamer)).toBe(404);
    await expect.poll(() => statusOf(players.withoutH264)).toBe(404);
    expect(await statusOf(players.firefox)).toBe(412);
    const again = await watch('', {}, offers.gstreamerWatching);
    expect(parse(await again.text()).media.map(({ ssrcs }) => ssrcs?.length)).toEqual([2, 2]);
  });

  it('continues with the next publisher whose video a busy server forwards late', async () => {
    await publish();
    const player = locationOf(await watch());
    const consume = Reflect.get(RouterPeer.prototype, 'consume');
    const late = vi.spyOn(RouterPeer.prototype, 'consume').mockImplementation(async function (
      this: RouterPeer,
      producer,
    ) {
      if (producer.kind === 'video') await delay(1_500);
      return consume.call(this, producer);
    });
    onTestFinished(() => late.mockRestore());
    await publish();
    // Longer than a session is checked after its media has changed.
    await delay(5_000);
    expect(late.mock.settledResults.length).toBeGreaterThanOrEqual(2);
    expect((await patch(player, trickled, { 'If-Match': '"another"' })).status).toBe(412);
  });

  it('continues while the publisher shares a screen, which only apps show', async () => {
    await publish();
    const player = locationOf(await watch('', {}, offers.gstreamerWatching));
    const room = server.cluster.room(server.stream.streamId);
    const [{ peerId } = { peerId: '' }] = await room.peers({});
    await room.produce({ peerId, source: 'screen', rtpParameters: vp8(), paused: false });
    await room.closeProducer({ peerId, source: 'camera' });
    // Longer than a session is checked after its media has changed.
    await delay(5_000);
    expect((await patch(player, trickled, { 'If-Match': '"another"' })).status).toBe(412);
  });

  it('ends the session of a viewer whose access is revoked', async () => {
    await publish();
    const response = await watch();
    const [watching] = server.stream.watchers.values();
    watching?.onRemoved?.();
    await expect
      .poll(async () => (await fetch(`${server.url}${locationOf(response)}`, { method: 'DELETE' })).status)
      .toBe(404);
  });
});

it('no session and no player counts as silent just after an outage of the database', async () => {
  const { db } = server;
  const seenAt = new Date(Date.now() - 10 * 60_000);
  const whose = { streamId: 'str_outage', seenAt };
  await db.insert(streams).values({
    ...{ id: whose.streamId, title: '', description: '', host: '0x1', network: 'mainnet', status: 'live' },
    ...{ isPublic: true, record: false, createdAt: seenAt, keyHash: 'x', keySealed: Buffer.of() },
  });
  const session = {
    ...whose,
    idHash: 'x',
    kind: 'whep',
    peerId: 'par_x',
    transportId: 'x',
    etag: 'x',
  } as const;
  await db.insert(webrtcSessions).values({ ...session, mids: [], iceCandidates: [] });
  await db
    .insert(streamWatchings)
    .values({ ...whose, id: 'par_x', viewer: 'guest', via: 'whep', joinedAt: seenAt });
  const [sessions, watchings] = [new SessionStore(db), new WatchingStore(db, {} as OwnNode)];
  const away = new Error('the database is away');
  const failing = vi.spyOn(db, 'execute').mockRejectedValueOnce(away).mockRejectedValueOnce(away);
  await expect(sessions.takeSilent(90_000)).rejects.toBe(away);
  await expect(watchings.sweep(10_000, 45_000)).rejects.toBe(away);
  failing.mockRestore();
  expect(await sessions.takeSilent(90_000)).toEqual([]);
  expect(await watchings.sweep(10_000, 45_000)).toEqual([]);
  expect((await new SessionStore(db).takeSilent(90_000)).map(({ peerId }) => peerId)).toEqual(['par_x']);
  const swept = await new WatchingStore(db, {} as OwnNode).sweep(10_000, 45_000);
  expect(swept.map(({ id }) => id)).toEqual(['par_x']);
});

describe('the players of a node', () => {
  /** How often a node renews its players, in milliseconds. */
  const keepMs = 15_000;
  let node: WebrtcNode;
  /** Runs what the node does every 15 seconds. */
  let renew: () => void;

  beforeEach(async () => {
    await publish();
    const timers = vi.spyOn(globalThis, 'setInterval');
    node = await server.anotherNode();
    const [run] = timers.mock.calls.find(([, everyMs]) => everyMs === keepMs) ?? [];
    timers.mockRestore();
    renew = run as () => void;
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    server.stream.banned.clear();
    await node.close();
  });

  /** Starts a player. @returns its id in the gateway, and a function that tells the status of a request to its session */
  async function play() {
    const before = new Set(server.stream.watchers.keys());
    const response = await fetch(`${node.url}/whep/${server.stream.playbackId}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/sdp' },
      body: offers.firefoxWatching,
    });
    const [id = ''] = [...server.stream.watchers.keys()].filter((one) => !before.has(one));
    const headers = { 'Content-Type': fragment, 'If-Match': '"another"' };
    const request = { method: 'PATCH', headers, body: trickled };
    return { id, status: async () => (await fetch(`${node.url}${locationOf(response)}`, request)).status };
  }

  it('are renewed together, also while that takes longer than the time until the next renewal', async () => {
    const players = [await play(), await play(), await play()];
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const recorded = vi.spyOn(server.stream, 'watching');
    const renewed = vi.spyOn(server.stream, 'stillWatching').mockImplementation(async (_streamId, ids) => {
      await released;
      return new Set(ids);
    });
    const own = players.map(({ id }) => id);
    // The other node renews its own players every 15 seconds.
    const ofThem = () => renewed.mock.calls.filter(([, ids]) => own.some((id) => ids.includes(id)));
    renew();
    await expect.poll(ofThem).toHaveLength(1);
    for (let tick = 0; tick < 3; tick++) renew();
    // Time for the passes that must not run: each begins with a statement.
    await server.db.select().from(webrtcSessions);
    expect(ofThem()).toEqual([[server.stream.streamId, own]]);
    release();
    await expect
      .poll(() => {
        renew();
        return ofThem().length;
      })
      .toBeGreaterThan(1);
    expect(recorded.mock.calls).toEqual([]);
    for (const { status } of players) expect(await status()).toBe(412);
  });

  it('are cut off if the gateway has no record of them and refuses them, and only then', async () => {
    const [lost, refused, kept] = [await play(), await play(), await play()];
    server.stream.watchers.delete(lost.id);
    const watching = server.stream.watchers.get(refused.id);
    server.stream.watchers.set(refused.id, Object.assign(watching ?? {}, { viewer: 'banned' }) as never);
    server.stream.banned.add('banned');
    renew();
    await expect.poll(refused.status).toBe(404);
    expect(await lost.status()).toBe(412);
    expect(await kept.status()).toBe(412);
    expect(server.stream.watchers.has(lost.id)).toBe(true);
  });
});
