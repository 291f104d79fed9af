import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../test/harness/until.ts';
import {
  at,
  failure,
  joinAs,
  LinkStage,
  roomId,
  speak,
  unavailable,
  type Home,
} from '../../test/harness/LinkStage.ts';

let stage: LinkStage;

beforeEach(async () => {
  stage = await LinkStage.open();
});
afterEach(() => stage.close());

type Open = (home: string) => Home;

describe.each<[string, Open]>([
  ['in this process', (home) => stage.openInProcess(home)],
  ['over the network', (home) => stage.openSocket(home)],
])('a link %s', (_where, open) => {
  it('asks, and hears the answer', async () => {
    const { link } = open('home');
    expect(await link.call('openRoom', at(1))).toEqual({});
    expect(await joinAs(link, 'alice')).toMatchObject({ peers: [], consumers: [], replaced: null });
    expect(await link.call('peers', at(1))).toEqual([
      { peerId: 'alice', tag: { name: 'alice' }, sending: [] },
    ]);
    expect(await link.call('leave', { ...at(1), peerId: 'alice' })).toEqual({});
    expect(await link.call('closeRoom', at(1))).toEqual({});
    expect(stage.local.roomsPerWorker).toEqual([0]);
  });

  it('keeps the code, the reason and the details of an error', async () => {
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

  it('refuses a lower epoch, and leaves the room as it is', async () => {
    const { link, events: event } = open('home');
    await link.call('openRoom', at(2));
    await joinAs(link, 'alice', 2);
    const stale = { code: 'CONFLICT', reason: 'stale_epoch' };
    await expect(link.call('openRoom', at(1))).rejects.toMatchObject(stale);
    await expect(joinAs(link, 'bob', 1)).rejects.toMatchObject(stale);
    await expect(link.call('leave', { ...at(1), peerId: 'alice' })).rejects.toMatchObject(stale);
    // What closes is not told whether it did.
    await link.call('closeRoom', at(1));
    expect(await link.call('peers', at(2))).toMatchObject([{ peerId: 'alice' }]);
    expect(event).toEqual([]);
  });

  it('with a higher epoch: the outdated room is closed, and who knew it is told', async () => {
    const [one, two] = [open('one'), open('two')];
    await one.link.call('openRoom', at(1));
    await joinAs(one.link, 'alice');
    await two.link.call('openRoom', at(2));
    expect(await two.link.call('peers', at(2))).toEqual([]);
    await until(() => one.heard('roomClosed').length > 0, 'one hears that its room is over');
    expect(one.events).toEqual([['roomClosed', { roomId, epoch: 1 }]]);
    expect(two.events).toEqual([]);
    // A node that asks under an epoch this one has not heard of knows better, too.
    await expect(joinAs(two.link, 'bob', 3)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await until(() => two.heard('roomClosed').length > 0, 'two hears that its room is over');
    expect([...stage.node.rooms]).toEqual([]);
    expect(stage.local.roomsPerWorker).toEqual([0]);
  });

  it('closes rooms the owners’ table does not give to this node', async () => {
    const { link, events: event, heard } = open('home');
    for (const room of ['kept', 'moved', 'over']) await link.call('openRoom', { roomId: room, epoch: 1 });
    const known = stage.node.rooms;
    // Opened after that look at the rooms: it may be in no table that was read before.
    await link.call('openRoom', { roomId: 'new', epoch: 1 });
    const owned = new Map([
      ['kept', 1],
      ['moved', 2],
    ]);
    await stage.node.closeDisowned(owned, known);
    expect([...stage.node.rooms.keys()]).toEqual(['kept', 'new']);
    await until(() => heard('roomClosed').length === 2, 'both are told of');
    expect(event.map(([, payload]) => payload)).toEqual([
      { roomId: 'moved', epoch: 1 },
      { roomId: 'over', epoch: 1 },
    ]);
  });

  it('tells the home of a peer what is for that peer, and every home in the room who sends what', async () => {
    const [one, two, other] = [open('one'), open('two'), open('other')];
    await one.link.call('openRoom', at(1));
    await other.link.call('openRoom', { roomId: 'elsewhere', epoch: 1 });
    await joinAs(one.link, 'alice');
    await joinAs(two.link, 'bob');
    await speak(one.link, 'alice');
    await until(() => two.heard('consumer').length > 0, 'bob is offered what alice sends');
    expect(two.heard('consumer')).toMatchObject([{ to: { peerId: 'bob' }, from: { peerId: 'alice' } }]);
    await one.link.call('closeProducer', { ...at(1), peerId: 'alice', source: 'microphone' });
    await until(() => two.heard('consumerClosed').length > 0, 'bob hears its end');
    const names = ({ events: event }: Home) => event.map(([name]) => name).sort();
    expect(names(two)).toEqual(['consumer', 'consumerClosed', 'peerUpdated', 'peerUpdated']);
    expect(names(one)).toEqual(['peerUpdated', 'peerUpdated']);
    expect(other.events).toEqual([]);
  });

  it('moves the home of a peer when its device resumes elsewhere', async () => {
    const [one, two] = [open('one'), open('two')];
    await one.link.call('openRoom', at(1));
    await joinAs(one.link, 'alice');
    await joinAs(one.link, 'bob');
    await two.link.call('resume', { ...at(1), peerId: 'bob', identity: 'bob', tag: {} });
    await until(() => one.heard('peerGone').length > 0, 'bob’s former home hears of it');
    expect(one.heard('peerGone')).toEqual([{ roomId, peerId: 'bob' }]);
    await speak(one.link, 'alice');
    await until(() => two.heard('consumer').length > 0, 'bob is offered what alice sends');
    expect(one.heard('consumer')).toEqual([]);
    // A seat is not taken by who only says so.
    const wrong = one.link.call('resume', { ...at(1), peerId: 'bob', identity: 'alice', tag: {} });
    await expect(wrong).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await speak(one.link, 'alice');
    await until(() => two.heard('consumer').length > 1, 'bob is still told there');
    expect(one.heard('consumer')).toEqual([]);
  });

  it('goes on telling a device that joined again because an answer was lost', async () => {
    const one = open('one');
    await one.link.call('openRoom', at(1));
    await joinAs(one.link, 'alice');
    await joinAs(one.link, 'bob');
    await joinAs(one.link, 'bob');
    await speak(one.link, 'alice');
    await until(() => one.heard('consumer').length > 0, 'bob is offered what alice sends');
  });

  it('tells each home of its own, when a worker dies', async () => {
    const [one, two] = [open('one'), open('two')];
    await one.link.call('openRoom', at(1));
    await joinAs(one.link, 'alice');
    await joinAs(two.link, 'bob');
    for (const pid of stage.local.workerPids) process.kill(pid, 'SIGKILL');
    await until(() => one.heard('roomRestarted').length + two.heard('roomRestarted').length === 2, 'both');
    expect(one.heard('roomRestarted')).toMatchObject([{ lost: [{ peerId: 'alice' }] }]);
    expect(two.heard('roomRestarted')).toMatchObject([{ lost: [{ peerId: 'bob' }] }]);
  });
});

it('waits so long for an answer, and no longer, over either link', async () => {
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
