import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { EmbeddedPostgres } from '../server/embeddedPostgres/EmbeddedPostgres.ts';
import { CleanUp } from '../server/embeddedPostgres/testSupport.ts';
import { SyntheticPeer } from '../test/harness/SyntheticPeer.ts';
import { TestNodes } from '../test/harness/TestNodes.ts';
import { until } from '../test/harness/until.ts';
import { mostChildren } from './pipeTree.ts';
import { record } from './testSupport.ts';

/* A picture on its way over three nodes, of which the one in the middle leaves: one worker each, and one viewer. */

const suite = new CleanUp();
let postgres: EmbeddedPostgres;

beforeAll(async () => {
  postgres = await suite.start(await suite.temporaryFolder());
});
afterAll(() => suite.run());

/** The publisher's, those it sends to, and one that hangs below one of these. */
const mediaNodes = 1 + mostChildren + 1;

it(
  'a node in the middle leaves when those behind it get everything another way, and they miss nothing',
  { timeout: 90_000 },
  async ({ onTestFinished }) => {
    const nodes = await TestNodes.create(postgres);
    nodes.mediaOptions = { consumersPerWorker: 1 };
    const peers: SyntheticPeer[] = [];
    onTestFinished(async () => {
      for (const peer of peers) peer.close();
      await nodes.close();
    });
    const signaling = await nodes.open('signaling');
    const media = await Promise.all(Array.from({ length: mediaNodes }, () => nodes.open('media')));
    await nodes.meet(signaling, ...media);
    const roomId = randomUUID();
    await signaling.media.openRoom(roomId);
    const join = async (name: string, seat = name) => {
      const peer = await SyntheticPeer.join(signaling.media, roomId, name, {
        seat,
        audience: name !== 'host',
      });
      peers.push(peer);
      return peer;
    };
    await (await join('host')).show();
    const viewers: SyntheticPeer[] = [];
    for (let index = 0; index < mediaNodes; index++) viewers.push(await join(`viewer ${index}`));
    const framesOf = async (peer: SyntheticPeer, id = peer.consumerId('host', 'camera')) =>
      (await peer.inboundOf(id))?.frames ?? 0;
    for (const viewer of viewers) {
      await until(() => viewer.receives.length > 0, `${viewer.id} is offered it`);
      await until(async () => (await framesOf(viewer)) > 0, `${viewer.id} sees`);
    }

    // One of those that take it from the publisher's node passes it on, to the last one.
    const relays = media.filter(({ local }) => local.host.parts.some(({ isRelaying }) => isRelaying));
    expect(relays).toHaveLength(1);
    const [relay] = relays;
    if (!relay) throw new Error('no relay');
    const last = viewers.at(-1) as SyntheticPeer;
    const seen = record(signaling.media)(roomId);
    const before = last.consumerId('host', 'camera');
    const framesBefore = await framesOf(last, before);

    await relay.registry.drain();
    await until(() => seen.consumer.length > 0, 'it is offered another way');
    expect(seen.consumer.map(({ to }) => to.peerId)).toEqual([last.id]);
    const after = seen.consumer[0]?.consumer.id ?? '';
    await until(async () => (await framesOf(last, after)) > 0, 'the picture comes the other way');
    // Until then it came as before, with all its packets; and that ends afterwards.
    expect(seen.consumerClosed).toEqual([]);
    expect(await last.inboundOf(before)).toMatchObject({ lost: 0 });
    expect(await framesOf(last, before)).toBeGreaterThan(framesBefore);
    await until(() => seen.consumerClosed.length > 0, 'the former way ends');
    expect(seen.consumerClosed.map(({ to, consumerId }) => [to.peerId, consumerId])).toEqual([
      [last.id, before],
    ]);
    const framesAfter = await framesOf(last, after);
    await until(async () => (await framesOf(last, after)) > framesAfter + 2, 'it goes on');

    // Who was on it moves by himself, and it is empty then.
    await until(() => seen.roomMoving.length > 0, 'who is on it is to move');
    const moving = seen.roomMoving.flatMap(({ peers: own }) => own.map(({ peerId }) => peerId));
    expect(moving).toHaveLength(1);
    await viewers.find(({ id }) => id === moving[0])?.leave();
    await until(() => relay.local.host.size === 0, 'it is empty');
    expect(await last.inboundOf(after)).toMatchObject({ lost: 0 });
    expect(seen.roomRestarted).toEqual([]);
  },
);
