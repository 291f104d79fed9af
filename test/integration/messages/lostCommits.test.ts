import { afterAll, beforeAll, expect, it } from 'vitest';
import { startCluster, type Cluster } from '../../harness/nodes/Cluster.ts';
import type { TestClient } from '../../harness/clients/TestClient.ts';
import { PostgresProxy } from '../../harness/nodes/PostgresProxy.ts';
import { groupOf } from '../../scenarios/groups.ts';

/* The connection to PostgreSQL is lost after a change was stored and before its answer. The server cannot tell whether it was stored. */

let cluster: Cluster;
let database: PostgresProxy;
let alice: TestClient;
let bob: TestClient;

beforeAll(async () => {
  cluster = await startCluster({ node: ['api', 'signaling', 'media'] }, {});
  database = await PostgresProxy.open(new URL(cluster.postgres.url).searchParams.get('host') ?? '');
  for (const { server } of cluster.nodes) {
    await server.stop();
    await server.start({ DATABASE_URL: database.url });
  }
  [alice, bob] = [await cluster.client(), await cluster.client()];
}, 120_000);
afterAll(async () => {
  await cluster?.close();
  database?.close();
});

/** Sends a request whose transaction is committed without an answer, and repeats it. */
async function repeatAfterLoss(request: () => Promise<unknown>): Promise<void> {
  const lost = database.loseAnswerTo('INTO wallet_events', 'commit');
  await Promise.all([lost, request().catch(request)]);
}

async function sent(content: string): Promise<string> {
  const { id } = await alice.parley.messages.send({ to: bob.address, type: 'text', content });
  await bob.event('message:received', (message) => message.id === id);
  await alice.event('message:delivered', ({ messageId }) => messageId === id);
  return id;
}

it('announces a message that was deleted', async () => {
  const id = await sent('to delete');
  await repeatAfterLoss(() => alice.parley.messages.delete(id, { forEveryone: true }));
  await bob.event('message:deleted', ({ messageId }) => messageId === id);
});

it('announces an edit whose event could not be sent', async () => {
  const id = await sent('to edit');
  const edit = () => alice.parley.messages.edit(id, 'edited');
  // The message is read to make the event.
  const lost = database.loseAnswerTo('INTO wallet_events', 'commit', 'wallet_messages');
  await Promise.all([lost, edit().catch(edit)]);
  await bob.event('message:edited', (message) => message.id === id);
});

it('announces a reaction', async () => {
  const id = await sent('to react to');
  await repeatAfterLoss(() => bob.parley.messages.addReaction(id, '👍'));
  await alice.event('message:reaction', ({ messageId }) => messageId === id);
});

it('announces a new member of a group', async () => {
  const group = await groupOf(alice, bob);
  const carol = await cluster.client();
  await carol.parley.people.saveContact(alice.address, 'Alice');
  await repeatAfterLoss(() => alice.parley.groups.add(group.id, [carol.address]));
  await carol.event('group:updated', ({ id }) => id === group.id);
});

it('announces a receipt', async () => {
  const lost = database.loseAnswerTo('mark delivered');
  const { id } = await alice.parley.messages.send({ to: bob.address, type: 'text', content: 'to receive' });
  await lost;
  expect(await alice.event('message:delivered', ({ messageId }) => messageId === id)).toBeTruthy();
});
