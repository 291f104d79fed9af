import { afterAll, beforeAll, expect, it } from 'vitest';
import { startCluster, type Cluster, type ClusterNode } from '../../harness/nodes/Cluster.ts';
import type { ParleyEvents } from '../../../sdk/src/index.ts';
import { Parley } from '../../../sdk/src/Parley.ts';
import { newKey } from '../money/accountSupport.ts';
import {
  ask,
  bearer,
  closeSockets,
  connected,
  newWallet,
  next,
  refusal,
  signIn,
  socket,
} from '../support.ts';

/* Each role on a separate node. The nodes reach each other by IPv6. */

let cluster: Cluster;
let api: ClusterNode;
let signaling: ClusterNode;
let media: ClusterNode;

beforeAll(async () => {
  cluster = await startCluster(
    { api: ['api'], signaling: ['signaling'], media: ['media'] },
    { CLUSTER_HOST: '::1' },
  );
  [api, signaling, media] = cluster.nodes as [ClusterNode, ClusterNode, ClusterNode];
});

afterAll(async () => {
  closeSockets();
  await cluster?.close();
});

const status = async ({ server }: ClusterNode, path: string) => (await ask(server.url, 'GET', path)).status;

it('serves health checks and the routes of each role on its node only', async () => {
  for (const node of cluster.nodes) {
    expect([await status(node, '/healthz'), await status(node, '/readyz')]).toEqual([200, 200]);
  }
  expect([await status(api, '/api/v1/auth/nonce'), await status(api, '/')]).toEqual([200, 200]);
  for (const node of [signaling, media]) {
    expect([await status(node, '/api/v1/auth/nonce'), await status(node, '/')]).toEqual([404, 404]);
  }
  for (const node of [api, media]) {
    const client = socket(node.server.url, {});
    expect(await refusal(client)).toBeInstanceOf(Error);
  }
});

it('opens the room of a call on the media node', async () => {
  const session = await signIn(api.server.url);
  const other = await signIn(api.server.url);
  const [alice, bob] = [
    await connected(signaling.server.url, session.token),
    await connected(signaling.server.url, other.token),
  ];
  const rings = next<{ id: string }>(bob, 'call:incoming');
  const answer = (await alice.emitWithAck('calls.start', { to: other.walletAddress, type: 'audio' })) as {
    data: { id: string };
  };
  expect((await rings).id).toBe(answer.data.id);
  expect(await cluster.mediaNodeOf(answer.data.id)).toBe(media);
  await alice.emitWithAck('calls.end', { callId: answer.data.id });
  await expect(cluster.mediaNodeOf(answer.data.id)).rejects.toThrow('no node owns the room');
});

it('closes the connections of a session that was ended on another node', async () => {
  const session = await signIn(api.server.url);
  const device = await connected(signaling.server.url, session.token);
  const ended = next<{ code: string }>(device, 'session:ended');
  const closed = next(device, 'disconnect');
  const { status: answer } = await ask(api.server.url, 'POST', '/api/v1/auth/logout', {
    body: {},
    headers: bearer(session.token),
  });
  expect(answer).toBe(200);
  expect(await ended).toMatchObject({ code: 'AUTHENTICATION_REQUIRED' });
  await closed;
});

it('manages rooms on the node with the API, for guests on another node', async () => {
  const account = newWallet();
  const session = await signIn(api.server.url, account, { audience: 'dashboard' });
  const customer = { wallet: account.address, dashboard: bearer(session.token), app: {} };
  const { secret } = await newKey(api.server.url, customer, {
    scopes: ['rooms:read', 'rooms:write', 'tokens:create'],
  });
  const { rooms } = new Parley({ baseUrl: api.server.url, auth: { apiKey: secret } });
  const { id } = await rooms.create({ name: 'Room' });
  const { id: tokenId, token } = await rooms.createToken(id, { identity: 'alice' });
  const guest = new Parley({ baseUrl: signaling.server.url, participantToken: token });
  const nextOf = <Name extends keyof ParleyEvents>(name: Name) =>
    new Promise<ParleyEvents[Name]>((resolve) => guest.on(name, resolve));
  await guest.conference.join(id);
  const [participant] = (await rooms.participants(id)).data;
  expect(participant).toMatchObject({ identity: 'alice', isGuest: true });
  const heard = [
    nextOf('conference:updated'),
    nextOf('conference:participant:updated'),
    nextOf('conference:muted'),
    nextOf('conference:chat:message'),
  ];
  await rooms.update(id, { name: 'Renamed' });
  await rooms.updateParticipant(id, participant?.id ?? '', { role: 'viewer' });
  await rooms.muteParticipant(id, participant?.id ?? '');
  await rooms.sendMessage(id, { content: 'Hello' });
  expect(await Promise.all(heard)).toMatchObject([
    { name: 'Renamed' },
    { role: 'viewer' },
    { roomId: id },
    { message: { content: 'Hello' } },
  ]);
  const [removed, closed] = [nextOf('conference:removed'), nextOf('connection:changed')];
  await rooms.revokeToken(id, tokenId);
  expect(await removed).toMatchObject({ reason: 'revoked' });
  await closed;
  expect((await rooms.participants(id)).data).toEqual([]);
  expect((await rooms.end(id)).status).toBe('ended');
  guest.close();
});

it('closes all parts of each node on shutdown', async () => {
  for (const { server } of cluster.nodes) {
    expect(await server.stop()).toBe(0);
    expect(server.logged('"closed"').map(({ part }) => part)).toContain('connections');
    expect(server.log).not.toContain('could not be closed');
  }
});
