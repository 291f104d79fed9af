import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../test/harness/until.ts';
import {
  at,
  failure,
  joinAs,
  MediaLinkFixture,
  roomId,
  speak,
  unavailable,
  type TestLink,
} from '../../test/harness/media/MediaLinkFixture.ts';

let stage: MediaLinkFixture;

beforeEach(async () => {
  stage = await MediaLinkFixture.open();
});
afterEach(() => stage.close());

type Open = (home: string) => TestLink;

describe.each<[string, Open]>([
  ['in this process', (home) => stage.openInProcess(home)],
  ['over the network', (home) => stage.openSocket(home)],
])('a link %s', (_where, open) => {
  it('sends requests and receives answers', async () => {
    const { link } = open('home');
    expect(await link.call('openRoom', at(1))).toBeUndefined();
    expect(await joinAs(link, 'alice')).toMatchObject({ peers: [], consumers: [], replaced: null });
    expect(await link.call('peers', at(1))).toEqual([
      { peerId: 'alice', tag: { name: 'alice' }, sending: [] },
    ]);
    expect(await link.call('leave', { ...at(1), peerId: 'alice' })).toBeUndefined();
    expect(await link.call('closeRoom', at(1))).toBeUndefined();
    expect(stage.local.roomsPerWorker).toEqual([0]);
  });

  it('preserves the code, the message and the reason of an error', async () => {
    const { link } = open('home');
    await link.call('openRoom', at(2));
    await joinAs(link, 'alice', 2);
    expect((await failure(link.call('peers', { ...at(1), roomId: 'none' }))).error).toMatchObject({
      name: 'ParleyError',
      code: 'NOT_FOUND',
      message: expect.stringMatching(/no such room/) as string,
    });
    expect((await failure(link.call('openRoom', at(1)))).error).toMatchObject({
      name: 'ParleyError',
      code: 'CONFLICT',
      reason: 'stale_epoch',
    });
    const fingerprints = [{ algorithm: 'rot13', value: 'x' }];
    const { sendTransport } = await joinAs(link, 'bob', 2);
    const connect = link.call('connectTransport', {
      ...at(2),
      peerId: 'bob',
      transportId: sendTransport?.id ?? '',
      dtlsParameters: { fingerprints },
    });
    expect((await failure(connect)).error).toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('rejects requests with a lower epoch and leaves the room unchanged', async () => {
    const { link, events: event } = open('home');
    await link.call('openRoom', at(2));
    await joinAs(link, 'alice', 2);
    const stale = { code: 'CONFLICT', reason: 'stale_epoch' };
    await expect(link.call('openRoom', at(1))).rejects.toMatchObject(stale);
    await expect(joinAs(link, 'bob', 1)).rejects.toMatchObject(stale);
    await expect(link.call('leave', { ...at(1), peerId: 'alice' })).rejects.toMatchObject(stale);
    // closeRoom does not report whether it closed the room.
    await link.call('closeRoom', at(1));
    expect(await link.call('peers', at(2))).toMatchObject([{ peerId: 'alice' }]);
    expect(event).toEqual([]);
  });

  it('closes the outdated room on a request with a higher epoch and notifies its signalling nodes', async () => {
    const [one, two] = [open('one'), open('two')];
    await one.link.call('openRoom', at(1));
    await joinAs(one.link, 'alice');
    await two.link.call('openRoom', at(2));
    expect(await two.link.call('peers', at(2))).toEqual([]);
    await until(() => one.received('roomClosed').length > 0, 'node one has the end of its room');
    expect(one.events).toEqual([['roomClosed', { roomId, epoch: 1 }]]);
    expect(two.events).toEqual([]);
    // Any other request with a higher epoch than the room's closes the room too.
    await expect(joinAs(two.link, 'bob', 3)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await until(() => two.received('roomClosed').length > 0, 'node two has the end of its room');
    expect([...stage.node.rooms]).toEqual([]);
    expect(stage.local.roomsPerWorker).toEqual([0]);
  });

  it('closes rooms that this node does not own according to the table of owners', async () => {
    const { link, events: event, received } = open('home');
    for (const room of ['kept', 'moved', 'ended']) await link.call('openRoom', { roomId: room, epoch: 1 });
    const known = stage.node.rooms;
    // Opened after the list of rooms was read, so it may be missing from the table.
    await link.call('openRoom', { roomId: 'new', epoch: 1 });
    const owned = new Map([
      ['kept', 1],
      ['moved', 2],
    ]);
    await stage.node.closeDisowned(owned, known);
    expect([...stage.node.rooms.keys()]).toEqual(['kept', 'new']);
    await until(() => received('roomClosed').length === 2, 'both rooms have closed');
    expect(event.map(([, payload]) => payload)).toEqual([
      { roomId: 'moved', epoch: 1 },
      { roomId: 'ended', epoch: 1 },
    ]);
  });

  it('sends a peer’s events to its signalling node, and changes of peers to all signalling nodes of the room', async () => {
    const [one, two, other] = [open('one'), open('two'), open('other')];
    await one.link.call('openRoom', at(1));
    await other.link.call('openRoom', { roomId: 'other', epoch: 1 });
    await joinAs(one.link, 'alice');
    await joinAs(two.link, 'bob');
    await speak(one.link, 'alice');
    await until(() => two.received('consumer').length > 0, 'bob has a consumer of alice');
    expect(two.received('consumer')).toMatchObject([{ to: { peerId: 'bob' }, from: { peerId: 'alice' } }]);
    await one.link.call('closeProducer', { ...at(1), peerId: 'alice', source: 'microphone' });
    await until(() => two.received('consumerClosed').length > 0, 'bob’s consumer has closed');
    // The quality is reported at its own pace.
    const names = ({ events: event }: TestLink) =>
      event
        .map(([name]) => name)
        .filter((name) => name !== 'quality')
        .sort();
    expect(names(two)).toEqual(['consumer', 'consumerClosed', 'peerUpdated', 'peerUpdated']);
    expect(names(one)).toEqual(['peerUpdated', 'peerUpdated']);
    expect(other.events).toEqual([]);
  });

  it('moves a peer to another signalling node when its device resumes there', async () => {
    const [one, two] = [open('one'), open('two')];
    await one.link.call('openRoom', at(1));
    await joinAs(one.link, 'alice');
    await joinAs(one.link, 'bob');
    await two.link.call('resume', { ...at(1), peerId: 'bob', identity: 'bob', tag: {} });
    await until(() => one.received('peerGone').length > 0, 'bob’s former node is notified');
    expect(one.received('peerGone')).toEqual([{ roomId, peerId: 'bob' }]);
    await speak(one.link, 'alice');
    await until(() => two.received('consumer').length > 0, 'bob has a consumer of alice');
    expect(one.received('consumer')).toEqual([]);
    // A resume with another identity does not take over the peer.
    const wrong = one.link.call('resume', { ...at(1), peerId: 'bob', identity: 'alice', tag: {} });
    await expect(wrong).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await speak(one.link, 'alice');
    await until(() => two.received('consumer').length > 1, 'bob still gets events there');
    expect(one.received('consumer')).toEqual([]);
  });

  it('keeps sending events to a device that joined again after a lost answer', async () => {
    const one = open('one');
    await one.link.call('openRoom', at(1));
    await joinAs(one.link, 'alice');
    await joinAs(one.link, 'bob');
    await joinAs(one.link, 'bob');
    await speak(one.link, 'alice');
    await until(() => one.received('consumer').length > 0, 'bob has a consumer of alice');
  });

  it('reports each signalling node’s own lost peers when a worker dies', async () => {
    const [one, two] = [open('one'), open('two')];
    await one.link.call('openRoom', at(1));
    await joinAs(one.link, 'alice');
    await joinAs(two.link, 'bob');
    for (const pid of stage.local.workerPids) process.kill(pid, 'SIGKILL');
    await until(
      () => one.received('roomRestarted').length + two.received('roomRestarted').length === 2,
      'both events',
    );
    expect(one.received('roomRestarted')).toMatchObject([{ lost: [{ peerId: 'alice' }] }]);
    expect(two.received('roomRestarted')).toMatchObject([{ lost: [{ peerId: 'bob' }] }]);
  });
});

it('stops waiting for an answer after five seconds, over either kind of link', async () => {
  const homes = [stage.openInProcess('one'), stage.openSocket('two')];
  for (const { link } of homes) await link.call('openRoom', at(1));
  stage.freezeWorkers();
  for (const { error, ms } of await Promise.all(
    homes.map(({ link }, index) => failure(joinAs(link, `peer ${index}`))),
  )) {
    expect(error).toMatchObject(unavailable);
    expect(ms).toBeGreaterThan(4_900);
  }
});
