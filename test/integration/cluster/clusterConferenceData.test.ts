import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { newId } from '../../../sdk/protocol/ids.ts';
import { protocolVersion } from '../../../sdk/protocol/version.ts';
import { Parley } from '../../../sdk/src/Parley.ts';
import type { RoomData } from '../../../sdk/src/types.ts';
import { twoNodes, type Cluster, type ClusterNode } from '../../harness/nodes/Cluster.ts';
import { until } from '../../harness/until.ts';
import { created, refused } from '../../scenarios/conference.ts';
import { conferenceDataScenarios, dataSettings } from '../../scenarios/conferenceData.ts';
import { newCustomer, newKey } from '../money/accountSupport.ts';
import { openRawDevice } from '../socket/openRawDevice.ts';
import { signIn } from '../support.ts';

let cluster: Cluster;
let nodes: [ClusterNode, ClusterNode];
let database: pg.Client;

beforeAll(async () => {
  cluster = await twoNodes(dataSettings);
  nodes = cluster.nodes as typeof nodes;
  database = new pg.Client({ connectionString: cluster.postgres.url });
  await database.connect();
});
afterAll(async () => {
  await database?.end();
  await cluster?.close();
});

// No two scenarios share a wallet, so they run concurrently.
describe.concurrent('data on two nodes', () => {
  it.each(Object.entries(conferenceDataScenarios))('%s', (_name, scenario) => scenario(cluster));
});

/** A room with a participant on each node. */
async function onBothNodes() {
  const [here, there] = [await cluster.clientOn(nodes[0]), await cluster.clientOn(nodes[1])];
  const room = await created(here);
  for (const client of [here, there]) await client.parley.conference.join(room);
  return { here, there, room };
}

it('arrives in order when the database answers late', async () => {
  const { here, there, room } = await onBothNodes();
  const numbers = Array.from({ length: 500 }, (_, number) => number);
  const send = (some: number[]) =>
    some.map((number) => here.parley.conference.sendData(room, 'number', number));
  await database.query('BEGIN; LOCK TABLE rooms IN ACCESS EXCLUSIVE MODE');
  const sending = send(numbers.slice(0, 200));
  await until(async () => {
    const { rows } = await database.query('SELECT 1 FROM pg_locks WHERE NOT granted');
    return rows.length > 0;
  }, 'the server waits for the database');
  sending.push(...send(numbers.slice(200, 400)));
  await database.query('ROLLBACK');
  await Promise.all([...sending, ...send(numbers.slice(400))]);
  await there.event('conference:data', ({ data }) => data === 499);
  expect(there.seen('conference:data').map(({ data }) => data)).toEqual(numbers);
});

it('with reliable: false is dropped for a participant on another node who reads too slowly, and for nobody else', async () => {
  const { here, there, room } = await onBothNodes();
  const { url } = nodes[1].server;
  const slow = await openRawDevice(url, { token: (await signIn(url)).token, protocolVersion });
  onTestFinished(() => slow.raw.terminate());
  slow.raw.send(`420["conference.join",${JSON.stringify({ roomId: room })}]`);
  expect(await slow.frame('430')).toContain('"ok":true');
  slow.stopReading();
  // More than the buffers of the network hold, and less than the server holds for one connection.
  const long = 'x'.repeat(16_000);
  const send = (topic: string, count: number, reliable: boolean) =>
    Promise.all(
      Array.from({ length: count }, () => here.parley.conference.sendData(room, topic, long, { reliable })),
    );
  await send('reliable', 450, true);
  await there.event('conference:data', () => there.seen('conference:data').length === 450);
  await send('unreliable', 20, false);
  await send('end', 1, true);
  await there.event('conference:data', ({ topic }) => topic === 'end');
  slow.raw.resume();
  await until(() => slow.frames.some((frame) => frame.includes('"topic":"end"')), 'the slow one reads all');
  const countAt = (topic: string) => [
    slow.frames.filter((frame) => frame.includes(`"topic":"${topic}"`)).length,
    there.seen('conference:data').filter((one) => one.topic === topic).length,
  ];
  expect(countAt('reliable')).toEqual([450, 450]);
  expect(countAt('unreliable')).toEqual([0, 20]);
});

it('of guests and the backend arrives, if the guest may send', async () => {
  const url = nodes[0].server.url;
  const { secret: apiKey } = await newKey(url, await newCustomer(url), {
    scopes: ['rooms:read', 'rooms:write', 'tokens:create'],
  });
  const { rooms } = new Parley({ baseUrl: url, auth: { apiKey } });
  const { id: room } = await rooms.create({ name: 'Vote' });
  const wallet = await cluster.clientOn(nodes[1]);
  await wallet.parley.conference.join(room);
  const guest = async (identity: string, canSendData: boolean) => {
    const { token } = await rooms.createToken(room, { identity, canSendData });
    const parley = new Parley({ participantToken: token, baseUrl: nodes[1].server.url });
    onTestFinished(() => parley.close());
    const received: RoomData[] = [];
    parley.on('conference:data', (data) => received.push(data));
    await parley.conference.join(room);
    return { parley, received };
  };
  const [speaker, listener] = [await guest('speaker', true), await guest('listener', false)];
  await speaker.parley.conference.sendData(room, 'vote', { yes: true });
  const { data: listeners } = await rooms.participants(room, { identity: 'listener' });
  const to = listeners.map(({ id }) => id);
  await rooms.sendData(room, 'only you', new Uint8Array([1, 2]), { to });
  await rooms.sendData(room, 'result', { startedAt: '2026-11-20T12:00:00.000Z' }, { reliable: true });
  const [speakersItem] = (await rooms.participants(room, { identity: 'speaker' })).data;
  const ofGuest = {
    roomId: room,
    from: speakersItem?.id,
    walletAddress: 'guest:speaker',
    isGuest: true,
    topic: 'vote',
    data: { yes: true },
  };
  const ofBackend = { roomId: room, from: null, walletAddress: null };
  const onlyYou = { ...ofBackend, topic: 'only you', data: new Uint8Array([1, 2]) };
  const result = { ...ofBackend, topic: 'result', data: { startedAt: '2026-11-20T12:00:00.000Z' } };
  await wallet.event('conference:data', ({ topic }) => topic === 'result');
  expect(wallet.seen('conference:data')).toEqual([ofGuest, result]);
  await until(() => listener.received.length >= 3, 'the listener receives all');
  expect(listener.received).toEqual([ofGuest, onlyYou, result]);
  await until(() => speaker.received.length >= 1, 'the speaker receives the result');
  expect(speaker.received).toEqual([result]);

  expect(await refused(listener.parley.conference.sendData(room, 'vote', 1))).toEqual([
    'ACCESS_DENIED',
    'not_granted',
  ]);
  const ofOthers = await created(wallet);
  expect((await refused(rooms.sendData(ofOthers, 'x', 1)))[0]).toBe('NOT_FOUND');
  expect((await refused(rooms.sendData(room, 'x', 1, { to: [newId('par')] })))[0]).toBe('NOT_FOUND');
  expect((await refused(rooms.sendData(room, 'x', 'x'.repeat(16_384))))[0]).toBe('VALIDATION_ERROR');
  await rooms.end(room);
  expect(await refused(rooms.sendData(room, 'x', 1))).toEqual(['CONFLICT', 'room_ended']);
});
