import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Parley } from '../../../sdk/src/Parley.ts';
import { BackendHost } from '../../harness/clients/BackendHost.ts';
import { TestClient } from '../../harness/clients/TestClient.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { until } from '../../harness/until.ts';
import { idIn, refused } from '../../scenarios/conference.ts';
import { roomParticipantScenarios } from '../../scenarios/roomParticipants.ts';
import { api, queryDatabase, roomySettings } from '../money/accountSupport.ts';

/* Backends manage rooms over HTTP, as the host of the rooms of their account. */

let server: ServerProcess;
let account: BackendHost;

beforeAll(async () => {
  server = await ServerProcess.start(roomySettings);
});
beforeEach(async () => {
  account = await BackendHost.create(server);
});
afterEach(() => account?.close());
afterAll(() => server?.dispose());

describe('a room of a backend', () => {
  it('is created with all settings, and hosted by the wallet of the account', async () => {
    const { host, backend, newRoom } = account;
    const settings = { waitingRoom: true, emptyTimeout: 60, maxDuration: 3_600 };
    const room = await backend.rooms.create({ name: ' Room ', maxParticipants: 2, video: false, settings });
    expect(room).toMatchObject({
      name: 'Room',
      status: 'waiting',
      host: host.address,
      network: 'mainnet',
      maxParticipants: 2,
      participantCount: 0,
      video: false,
      audio: true,
      settings: { ...settings, locked: false, allowChat: true },
      gate: null,
      parentId: null,
      createdAt: expect.any(Date) as Date,
      startedAt: null,
      url: `${server.url}/rooms/${room.id}`,
    });
    expect((await newRoom()).maxParticipants).toBe(100);
    expect(await backend.rooms.get(room.id)).toEqual({ ...room, participants: [] });
    // The wallet hosts it in an app, too, and its own rooms belong to the account.
    expect((await host.parley.conference.get(room.id)).host).toBe(host.address);
    const own = await host.parley.conference.create({ name: 'Own', maxParticipants: 2 });
    expect((await backend.rooms.list()).data[0]).toMatchObject({ id: own.id, name: 'Own' });
  });

  it('is created once for an Idempotency-Key', async () => {
    const { backend, key } = account;
    const keyed = { ...key, 'Idempotency-Key': 'one' };
    const [first, second] = [
      await api(server.url, 'POST', '/rooms', keyed, { name: 'Once' }),
      await api(server.url, 'POST', '/rooms', keyed, { name: 'Once' }),
    ];
    expect([first.status, second.status, second.headers['idempotent-replayed']]).toEqual([201, 201, 'true']);
    expect(second.body).toEqual(first.body);
    const other = await api(server.url, 'POST', '/rooms', keyed, { name: 'Other' });
    expect([other.status, other.body.error]).toEqual([422, 'idempotency_key_reused']);
    expect((await backend.rooms.list()).data).toHaveLength(1);
  });

  it('is listed in pages and by status', async () => {
    const { host, backend, newRoom } = account;
    const made = [];
    for (let count = 0; count < 5; count++) made.push(await newRoom());
    // Rooms of the same millisecond are sorted by their ids.
    await queryDatabase(server, 'UPDATE rooms SET created_at = $1 WHERE host = $2', [
      made[0]?.createdAt,
      host.address,
    ]);
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await backend.rooms.list({ limit: 2, ...(cursor ? { cursor } : {}) });
      found.push(...page.data.map(({ id }) => id));
      cursor = page.nextCursor ?? undefined;
      expect(page.hasMore).toBe(cursor !== undefined);
    } while (cursor);
    const ids = made.map(({ id }) => id);
    expect([found.length, new Set(found)]).toEqual([5, new Set(ids)]);
    await backend.rooms.end(found[0] ?? '');
    expect((await backend.rooms.list()).data).toHaveLength(4);
    expect((await backend.rooms.list({ status: 'ended' })).data).toMatchObject([
      { id: found[0], status: 'ended', endReason: 'ended', endedAt: expect.any(Date) as Date },
    ]);
    expect(await refused(backend.rooms.list({ cursor: 'x' }))).toEqual([
      'VALIDATION_ERROR',
      'validation_failed',
    ]);
  });

  it('may be one of 10,000, while a wallet may have 200', async () => {
    const { host, newRoom } = account;
    const fill = (count: number) =>
      queryDatabase(
        server,
        `INSERT INTO rooms SELECT 'room_' || lpad(n::text, 24, '0'), 'x', $1, 2, true, true, '{}', 'waiting', now(),
           NULL, NULL, NULL, 'mainnet' FROM generate_series($2::int, $3::int) AS n`,
        [host.address, 1, count],
      );
    await fill(200);
    expect(await refused(host.parley.conference.create({ name: 'x', maxParticipants: 2 }))).toEqual([
      'CONFLICT',
      'conflict',
    ]);
    await newRoom();
    await queryDatabase(server, 'DELETE FROM rooms WHERE host = $1', [host.address]);
    await fill(10_000);
    expect(await refused(newRoom())).toEqual(['CONFLICT', 'conflict']);
    await queryDatabase(server, 'DELETE FROM rooms WHERE host = $1', [host.address]);
  });

  it('has breakouts that its hosts create, also when its account has more than 200 rooms', async () => {
    const { host, newRoom, guestIn, keep } = account;
    const { id: roomId } = await newRoom();
    const { client } = await guestIn(roomId, { role: 'host' });
    const wallet = keep(await TestClient.signIn(server.url));
    await wallet.parley.conference.join(roomId);
    await client.parley.conference.setRole(roomId, await idIn(host, roomId, wallet), 'host');
    const fill = (owner: string) =>
      queryDatabase(
        server,
        `INSERT INTO rooms SELECT 'room_' || lpad(n::text, 24, 'a'), 'x', $1, 2, true, true, '{}', 'waiting', now(),
           NULL, NULL, NULL, 'mainnet' FROM generate_series(1, 200) AS n`,
        [owner],
      );
    await fill(host.address);
    const rooms = [{ name: 'Breakout' }];
    expect(await client.parley.breakouts.create({ roomId, rooms })).toHaveLength(1);
    // The account of another backend has no wallet.
    const owner = 'account:acc_without_wallet';
    await queryDatabase(server, 'UPDATE rooms SET host = $1 WHERE host = $2', [owner, host.address]);
    for (const { parley } of [client, wallet])
      expect(await parley.breakouts.create({ roomId, rooms })).toHaveLength(1);
    await queryDatabase(server, 'DELETE FROM rooms WHERE host = $1', [owner]);
  });

  it('is changed in part, and tells everybody in it', async () => {
    const { backend, guestIn, keep } = account;
    const { id } = await backend.rooms.create({ name: 'Before', settings: { allowChat: false } });
    const { client } = await guestIn(id);
    const changed = await backend.rooms.update(id, { name: 'After', settings: { locked: true } });
    expect(changed).toMatchObject({
      name: 'After',
      participantCount: 1,
      settings: { locked: true, allowChat: false },
    });
    expect(await client.event('conference:updated')).toMatchObject({
      name: 'After',
      settings: { locked: true, allowChat: false },
      participants: [{ walletAddress: 'guest:alice' }],
    });
    const wallet = keep(await TestClient.signIn(server.url));
    expect(await refused(wallet.parley.conference.join(id))).toEqual(['ACCESS_DENIED', 'room_locked']);
    // The lock is for wallets without an invitation: a token is one.
    await guestIn(id, { identity: 'bob' });
  });

  it('finds a wallet by its address in any case', async () => {
    const { backend, newRoom, keep } = account;
    const { id } = await newRoom();
    const wallet = keep(await TestClient.signIn(server.url));
    await wallet.parley.conference.join(id);
    for (const identity of [wallet.address, wallet.address.toLowerCase()])
      expect((await backend.rooms.participants(id, { identity })).data).toMatchObject([
        { identity: wallet.address, isGuest: false },
      ]);
  });

  it('lets in those who wait when its waiting room is switched off, as far as there are places', async () => {
    const { host, backend, keep } = account;
    const settings = { waitingRoom: true };
    const { id } = await backend.rooms.create({ name: 'Door', maxParticipants: 2, settings });
    const joins = [];
    for (let count = 1; count <= 3; count++) {
      const waiter = keep(await TestClient.signIn(server.url));
      joins.push(refused(waiter.parley.conference.join(id)));
      await waiter.event('conference:waiting');
    }
    await host.parley.conference.lock(id);
    await backend.rooms.update(id, { settings: { waitingRoom: false } });
    // Nobody may enter before the lock is gone, too.
    expect(await host.parley.conference.getWaiting(id)).toHaveLength(3);
    await host.parley.conference.lock(id, false);
    expect((await Promise.all(joins)).sort()).toEqual([
      ['ROOM_FULL', 'room_full'],
      ['ok', undefined],
      ['ok', undefined],
    ]);
    expect(await host.parley.conference.getWaiting(id)).toEqual([]);
  });

  it('goes on when it is extended at the last moment', async () => {
    const { backend, newRoom, guestIn } = account;
    const { id } = await newRoom();
    await guestIn(id);
    await backend.rooms.update(id, { settings: { maxDuration: 3 } });
    // The extension begins before the end is due and commits after it, while the job that ends the room waits for it.
    await queryDatabase(
      server,
      `CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(4); RETURN NULL; END';
       CREATE TRIGGER slow AFTER UPDATE ON rooms FOR EACH ROW
         WHEN (NEW.settings->>'maxDuration' = '3600') EXECUTE FUNCTION wait()`,
    );
    await backend.rooms.update(id, { settings: { maxDuration: 3_600 } });
    await queryDatabase(server, 'DROP TRIGGER slow ON rooms; DROP FUNCTION wait');
    // Waits until the job has had its turn.
    await backend.rooms.update(id, { name: 'Extended' });
    expect(await backend.rooms.get(id)).toMatchObject({ status: 'active', name: 'Extended' });
  });

  it('ends when its changed times have passed', async () => {
    const { backend, newRoom, guestIn } = account;
    const { id } = await newRoom();
    const { client } = await guestIn(id);
    await backend.rooms.update(id, { settings: { maxDuration: 1 } });
    await client.event('conference:ended');
    expect(await backend.rooms.get(id)).toMatchObject({ status: 'ended', endReason: 'max_duration' });

    const empty = await newRoom();
    const { client: second } = await guestIn(empty.id);
    await second.parley.conference.leave(empty.id);
    await backend.rooms.update(empty.id, { settings: { emptyTimeout: 1 } });
    const ended = async () => (await backend.rooms.get(empty.id)).endReason === 'empty';
    await until(ended, 'the empty room ends');
  });

  it('ends for everybody, once', async () => {
    const { backend, key, newRoom, guestIn } = account;
    const { id } = await newRoom();
    const { client } = await guestIn(id);
    expect(await backend.rooms.end(id)).toMatchObject({ status: 'ended', participantCount: 0 });
    await client.event('conference:ended');
    const over = ['CONFLICT', 'room_ended'];
    expect(await refused(backend.rooms.end(id))).toEqual(over);
    expect(await refused(backend.rooms.update(id, { name: 'x' }))).toEqual(over);
    expect(await refused(backend.rooms.createToken(id, { identity: 'bob' }))).toEqual(over);
    expect(await refused(backend.rooms.sendMessage(id, { content: 'x' }))).toEqual(over);
    const { status, body } = await api(server.url, 'POST', `/rooms/${id}/end`, key);
    expect([status, body.error, body.reason]).toEqual([409, 'conflict', 'room_ended']);
  });
});

describe('participants', () => {
  it.each(Object.entries(roomParticipantScenarios))('%s', (_name, scenario) => scenario(account));
});

describe('the chat', () => {
  it('carries messages of the backend, and is read in pages', async () => {
    const { host, backend, guestIn } = account;
    const { id } = await backend.rooms.create({ name: 'Room', settings: { allowChat: false } });
    const { client } = await guestIn(id);
    const sent = await backend.rooms.sendMessage(id, { content: 'Welcome', displayName: 'Reception' });
    expect(sent).toMatchObject({
      roomId: id,
      identity: host.address,
      isGuest: false,
      displayName: 'Reception',
      content: 'Welcome',
    });
    expect(await client.event('conference:chat:message')).toMatchObject({
      message: { id: sent.id, from: host.address, content: 'Welcome' },
      sender: { walletAddress: host.address, displayName: 'Reception' },
    });
    expect(await refused(client.parley.conference.sendChat(id, 'x'))).toEqual(['ACCESS_DENIED', 'chat_off']);
    await backend.rooms.update(id, { settings: { allowChat: true } });
    await client.parley.conference.sendChat(id, 'Thanks');
    const page = await backend.rooms.messages(id, { limit: 1 });
    expect(page).toMatchObject({
      data: [{ identity: 'alice', isGuest: true, displayName: 'alice', content: 'Thanks' }],
      hasMore: true,
    });
    const cursor = page.nextCursor ?? '';
    expect(await backend.rooms.messages(id, { limit: 1, cursor })).toEqual({
      data: [sent],
      hasMore: false,
      nextCursor: null,
    });
  });

  it('gets a message once for an Idempotency-Key', async () => {
    const { backend, newRoom } = account;
    const { id } = await newRoom();
    const options = { idempotencyKey: 'one' };
    const first = await backend.rooms.sendMessage(id, { content: 'x' }, options);
    expect(await backend.rooms.sendMessage(id, { content: 'x' }, options)).toEqual(first);
    expect((await backend.rooms.messages(id)).data).toHaveLength(1);
  });
});

it('records a room that is not empty', async () => {
  const { host, backend, newRoom, guestIn } = account;
  const { id } = await newRoom();
  expect(await backend.rooms.recording(id)).toEqual({
    isRecording: false,
    recordedBy: null,
    recording: null,
  });
  const conflict = ['CONFLICT', 'conflict'];
  expect(await refused(backend.rooms.startRecording(id))).toEqual(conflict);
  await guestIn(id);
  const started = await backend.rooms.startRecording(id);
  expect(started).toMatchObject({
    isRecording: true,
    recordedBy: host.address,
    recording: { kind: 'conference', roomId: id, status: 'recording' },
  });
  expect(await backend.rooms.get(id)).toMatchObject({ recordedBy: host.address });
  expect(await refused(backend.rooms.startRecording(id))).toEqual(conflict);
  const stopped = await backend.rooms.stopRecording(id);
  expect(stopped).toMatchObject({ isRecording: false, recording: { id: started.recording?.id } });
  expect(await refused(backend.rooms.stopRecording(id))).toEqual(conflict);
});

describe('participant tokens', () => {
  it('are created once, stored without their secret, and listed in pages', async () => {
    const { backend, newRoom } = account;
    const { id } = await newRoom();
    const options = { idempotencyKey: 'one' };
    const first = await backend.rooms.createToken(id, { identity: 'alice', role: 'viewer' }, options);
    expect(first).toMatchObject({
      token: expect.stringMatching(/^pt_\w{43}$/) as string,
      displayName: 'alice',
      role: 'viewer',
      grants: { canPublish: [], canSubscribe: true },
      expiresAt: expect.any(Date) as Date,
      revokedAt: null,
    });
    const again = await backend.rooms.createToken(id, { identity: 'alice', role: 'viewer' }, options);
    expect(again).toEqual(first);
    for (const table of ['participant_tokens', 'idempotency_keys', 'audit_log'])
      expect(
        await queryDatabase(server, `SELECT FROM ${table} t WHERE t::text LIKE $1 OR t::text LIKE $2`, [
          `%${first.token}%`,
          `%${Buffer.from(first.token).toString('hex')}%`,
        ]),
      ).toEqual([]);
    expect(server.log).not.toContain(first.token);
    const second = await backend.rooms.createToken(id, { identity: 'bob' });
    const page = await backend.rooms.tokens(id, { limit: 1 });
    expect(page.data).toMatchObject([{ id: second.id, identity: 'bob' }]);
    const { token: _, ...shown } = first;
    const cursor = page.nextCursor ?? '';
    expect((await backend.rooms.tokens(id, { limit: 1, cursor })).data).toEqual([shown]);
  });

  it('are revoked at once', async () => {
    const { backend, newRoom, guestIn, keep } = account;
    const { id } = await newRoom();
    const { id: tokenId, token, client } = await guestIn(id);
    expect(await backend.rooms.revokeToken(id, tokenId)).toMatchObject({
      id: tokenId,
      revokedAt: expect.any(Date) as Date,
    });
    expect(await client.event('conference:removed')).toMatchObject({ reason: 'revoked' });
    expect((await backend.rooms.participants(id)).data).toEqual([]);
    const again = keep(new Parley({ baseUrl: server.url, participantToken: token }));
    expect(await refused(again.conference.join(id))).toEqual(['AUTHENTICATION_REQUIRED', 'token_revoked']);
    const other = await newRoom();
    expect(await refused(backend.rooms.revokeToken(other.id, tokenId))).toEqual(['NOT_FOUND', 'not_found']);
  });
});

it('serves a dashboard session, whose network a new room has', async () => {
  const { host, dashboard, keep } = account;
  const options = { apiKey: '', baseUrl: server.url, audience: 'dashboard' } as const;
  const testnet = keep(new Parley({ ...options, network: 'testnet' }));
  await testnet.signIn(host.account);
  expect(await testnet.rooms.create({ name: 'Room' })).toMatchObject({
    network: 'testnet',
    host: host.address,
  });
  expect((await api(server.url, 'POST', '/rooms', dashboard, { name: 'Room' })).body.network).toBe('mainnet');
});
