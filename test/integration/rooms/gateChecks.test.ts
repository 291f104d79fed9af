import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import type { WireAccessResult } from '../../../sdk/protocol/gates.ts';
import type { EventName, EventOf } from '../../../sdk/protocol/wire.ts';
import { Gates } from '../../../signaling/gates/Gates.ts';
import { RawDevice, startInProcess, type ServerInProcess } from './inProcessSupport.ts';

/* What the gate of a room or stream answers, and when, is decided by the tests. The server runs in this process for that. */

const original = {
  check: Reflect.get(Gates.prototype, 'check'),
  verify: Reflect.get(Gates.prototype, 'verify'),
};
const allowed: WireAccessResult = {
  allowed: true,
  reason: null,
  requirementsMet: [],
  missingRequirements: [],
};
const refused: WireAccessResult = { ...allowed, allowed: false, reason: 'You lack something.' };
let server: ServerInProcess;
/** Answers the checks of those who enter, and those that are repeated. */
let enters: () => Promise<WireAccessResult>;
let stays: () => Promise<WireAccessResult>;

beforeAll(async () => {
  Object.assign(Gates.prototype, {
    verify: () => Promise.resolve(),
    check: (_gate: unknown, _wallet: unknown, { isFresh = false } = {}) => (isFresh ? stays() : enters()),
  });
  server = await startInProcess({ GATE_RECHECK_SECONDS: '2' });
});
afterAll(async () => {
  await server?.close();
  Object.assign(Gates.prototype, original);
});
beforeEach(() => {
  enters = stays = () => Promise.resolve(allowed);
});

class Device extends RawDevice {
  static async connect(account?: RawDevice['account']): Promise<Device> {
    return new Device(...(await RawDevice.connected(server, account)));
  }

  event<Name extends EventName>(name: Name): Promise<EventOf<Name>> {
    const socket = this.socket as { once(name: string, handle: (payload: never) => void): unknown };
    return new Promise((resolve) => socket.once(name, resolve));
  }
}

const unreadable = () => Promise.reject(new ParleyError('SERVICE_UNAVAILABLE', 'The chain does not answer.'));

const coin = { type: 'token', chainId: 1, contractAddress: null, minBalance: '1' } as const;

const inRoom = async () => {
  const [host, holder] = [await Device.connect(), await Device.connect()];
  const { id: roomId } = await host.ask('gatedRooms.create', {
    name: 'Room',
    maxParticipants: 10,
    gateType: 'token',
    gate: coin,
  });
  for (const device of [host, holder]) await device.ask('conference.join', { roomId });
  const participants = async () => (await host.ask('conference.get', { roomId })).participants;
  return { host, holder, roomId, participants };
};

it('a check that is answered late does not remove who has left and come back since', async () => {
  let answer = (_access: WireAccessResult) => {};
  const checking = new Promise<void>((resolve) => {
    stays = () => {
      resolve();
      return new Promise((done) => (answer = done));
    };
  });
  const { holder, roomId, participants } = await inRoom();
  await checking;
  const answerLate = answer;
  await holder.ask('conference.leave', { roomId });
  await holder.ask('conference.join', { roomId });
  // The next check is the one after the return.
  const next = new Promise<void>((resolve) => {
    stays = () => (resolve(), Promise.resolve(allowed));
  });
  answerLate(refused);
  await next;
  expect(await participants()).toHaveLength(2);
});

it('a check that is answered late does not remove a viewer who has come back since', async () => {
  let answer = (_access: WireAccessResult) => {};
  const checking = new Promise<void>((resolve) => {
    stays = () => {
      resolve();
      return new Promise((done) => (answer = done));
    };
  });
  const [host, holder] = [await Device.connect(), await Device.connect()];
  const { id: streamId } = await host.ask('streaming.create', { title: 'Holders', gate: coin });
  const { place } = await holder.ask('streaming.watch', { streamId });
  await checking;
  const answerLate = answer;
  await holder.ask('streaming.unwatch', { streamId, place });
  await holder.ask('streaming.watch', { streamId });
  // The next check is the one after the return.
  const next = new Promise<void>((resolve) => {
    stays = () => (resolve(), Promise.resolve(allowed));
  });
  answerLate(refused);
  await next;
  expect(await host.ask('streaming.getViewers', { streamId })).toHaveLength(1);
});

it('who is moved to a breakout arrives while the gate cannot be read, and leaves if that lasts', async () => {
  const { host, holder, roomId, participants } = await inRoom();
  enters = stays = unreadable;
  const own = (await participants()).find(({ walletAddress }) => walletAddress === holder.account.address);
  const moved = holder.event('conference:moved');
  const [breakout] = await host.ask('breakouts.create', {
    roomId,
    rooms: [{ name: 'One', participantIds: [own?.id ?? ''] }],
  });
  const { to } = await moved;
  expect(to).toBe(breakout?.id);
  expect(await holder.ask('conference.join', { roomId: to })).toMatchObject({ state: 'joined' });
  const back = holder.event('conference:moved');
  await host.ask('breakouts.end', { roomId });
  expect(await back).toMatchObject({ to: roomId });
  const removed = holder.event('conference:removed');
  expect(await holder.ask('conference.join', { roomId })).toMatchObject({ state: 'joined' });
  expect(await removed).toMatchObject({ roomId, reason: 'access_unknown' });
});

it('a viewer who has lost the connection returns while the gate cannot be read, and leaves if that lasts', async () => {
  const [host, holder] = [await Device.connect(), await Device.connect()];
  const { id: streamId } = await host.ask('streaming.create', { title: 'Holders', gate: coin });
  const { place } = await holder.ask('streaming.watch', { streamId });
  enters = stays = unreadable;
  holder.socket.disconnect();
  const again = await Device.connect(holder.account);
  // As a new viewer, the wallet is refused.
  await expect(again.ask('streaming.watch', { streamId })).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
  });
  const removed = again.event('stream:removed');
  expect(await again.ask('streaming.watch', { streamId, place })).toMatchObject({ place });
  expect(await removed).toEqual({ streamId, reason: 'access_unknown' });
  await expect(again.ask('streaming.watch', { streamId, place })).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
  });
});
