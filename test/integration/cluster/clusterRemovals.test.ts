import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ResponseOf } from '../../../sdk/protocol/wire.ts';
import { twoNodes, type Cluster, type ClusterNode } from '../../harness/nodes/Cluster.ts';
import { until } from '../../harness/until.ts';
import { created } from '../../scenarios/conference.ts';
import { closeSockets, connected, newWallet, next, send, signIn } from '../support.ts';

/* People are removed on one node while another one cannot be told. */

let cluster: Cluster;
let near: ClusterNode;
let far: ClusterNode;

beforeAll(async () => {
  cluster = await twoNodes();
  [near, far] = cluster.nodes as [ClusterNode, ClusterNode];
}, 120_000);
afterAll(async () => {
  closeSockets();
  await cluster?.close();
});

/** A device that ignores that it was removed, and counts the chat messages it gets. */
async function stubbornDevice({ server }: ClusterNode) {
  const wallet = newWallet();
  const { token } = await signIn(server.url, wallet);
  const socket = await connected(server.url, token);
  const heard: string[] = [];
  for (const event of ['conference:chat:message', 'stream:chat:message'])
    socket.on(event, () => heard.push(event));
  const ask = async (name: string, payload: object) => {
    const answer = await send(socket, name, payload);
    if (!answer.ok) throw new Error(`${name}: ${answer.error.message}`);
    return answer.data;
  };
  return { address: wallet.address, heard, ask };
}

it(
  'sends no event of a room or stream to who was removed from it while Redis was away',
  { timeout: 120_000 },
  async () => {
    const [alice, carol] = [await cluster.clientOn(near), await cluster.clientOn(far)];
    const bob = await stubbornDevice(far);
    const roomId = await created(alice);
    const stream = await alice.parley.streaming.create({ title: 'x' });
    await alice.parley.conference.join({ roomId, displayName: 'x' });
    await carol.parley.conference.join({ roomId, displayName: 'x' });
    await carol.parley.streaming.watch(stream.id);
    const joined = (await bob.ask('conference.join', { roomId })) as ResponseOf<'conference.join'>;
    if (joined.state !== 'joined') throw new Error('Bob waits');
    await bob.ask('streaming.watch', { streamId: stream.id });

    /** The events that reach Bob's device, once they have reached another device of the same node. */
    const heardByBob = async (text: string) => {
      bob.heard.length = 0;
      await alice.parley.conference.sendChat(roomId, text);
      await alice.parley.streaming.sendChat(stream.id, text);
      await carol.event('conference:chat:message', ({ message }) => message.content === text);
      await carol.event('stream:chat:message', ({ message }) => message.content === text);
      await bob.ask('conference.list', {});
      return [...bob.heard].sort();
    };
    expect(await heardByBob('before')).toEqual(['conference:chat:message', 'stream:chat:message']);

    await cluster.redis.stop();
    await near.server.waitForLog('Redis is away');
    await alice.parley.conference.kick(roomId, joined.participant.id);
    await alice.parley.streaming.ban(stream.id, bob.address);
    await cluster.redis.start();
    await until(
      async () => {
        await alice.parley.conference.sendChat(roomId, 'back');
        return carol.seen('conference:chat:message').some(({ message }) => message.content === 'back');
      },
      'the nodes reach each other again',
      20_000,
      500,
    );

    let count = 0;
    const isDeaf = async () => (await heardByBob(`after ${count++}`)).length === 0;
    await until(isDeaf, 'no more events', 20_000, 1_000);
  },
);

it('closes the connections of a session on other nodes that a node has ended just before it died', async () => {
  const wallet = newWallet();
  const { token } = await signIn(far.server.url, wallet);
  const socket = await connected(far.server.url, token);
  const ended = next(socket, 'session:ended', 30_000);
  const db = new pg.Client({ connectionString: cluster.postgres.url });
  await db.connect();
  // As if the node had committed this, and died before it could tell anybody.
  await db.query('UPDATE sessions SET ended_at = now() WHERE wallet = $1', [wallet.address]);
  await db.end();
  await near.server.kill();
  expect(await ended).toMatchObject({ code: 'AUTHENTICATION_REQUIRED' });
});
