import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { TestClient } from '../../../../test/harness/clients/TestClient.ts';
import { oneNode, type OneNode } from '../../../../test/harness/nodes/Harness.ts';
import { Services } from '../core/Services.ts';
import { CallController } from './CallController.ts';
import type { CallsState } from './callState.ts';

/* The controller with the SDK and a real server, without media. */

let harness: OneNode;

beforeAll(async () => {
  harness = await oneNode();
});
afterAll(() => harness?.close());

/** Shows the calls of a device. `until` waits for a state of the page. */
function pageOf({ parley }: TestClient) {
  const calls = new CallController(new Services(parley));
  const until = (is: (state: CallsState) => boolean) => expect.poll(() => is(calls.store.get())).toBe(true);
  return { calls, until };
}

const statuses = async ({ parley }: TestClient) =>
  (await parley.calls.getActive()).map(({ id, status }) => [id, status]);

it.each([2, 3])(
  'ends the current call and answers another one if the button is pressed %i times',
  async (presses) => {
    const [ada, ben, cem] = [await harness.client(), await harness.client(), await harness.client()];
    const { calls, until } = pageOf(ada);
    await calls.start(ben.address, 'audio');
    await ben.parley.calls.answer((await ben.event('call:incoming')).id);
    await until(({ current }) => current?.status === 'active');
    const { id } = await cem.parley.calls.start({ to: ada.address, type: 'audio' });
    await until(({ incoming }) => incoming.length === 1);

    const [ringing] = calls.store.get().incoming;
    if (!ringing) throw new Error('No call rings.');
    await Promise.all(Array.from({ length: presses }, () => calls.answer(ringing)));
    await ben.event('call:ended');
    expect(await statuses(cem)).toEqual([[id, 'active']]);
    expect(calls.store.get().current).toMatchObject({ id, status: 'active' });
    expect(calls.store.get().problem).toBeNull();
  },
);

it('calls again directly after hanging up a call that is being opened', async () => {
  const [ada, ben] = [await harness.client(), await harness.client()];
  const { calls, until } = pageOf(ada);
  const first = calls.start(ben.address, 'audio');
  await calls.hangUp();
  const second = calls.start(ben.address, 'video');
  const third = calls.start(ben.address, 'video');
  await Promise.all([first, second, third]);
  const { id: abandoned } = await ben.event('call:incoming');
  const call = await ben.event('call:incoming', ({ id }) => id !== abandoned);
  expect(calls.store.get().current).toMatchObject({ id: call.id, type: 'video', status: 'ringing' });
  expect(await statuses(ben)).toEqual([[call.id, 'ringing']]);
  await ben.parley.calls.answer(call.id);
  await until(({ current }) => current?.status === 'active');
});

it('declines a call that is hung up before the microphone is open', async () => {
  const [ada, ben] = [await harness.client(), await harness.client()];
  const { calls, until } = pageOf(ada);
  await ben.parley.calls.start({ to: ada.address, type: 'audio' });
  await until(({ incoming }) => incoming.length === 1);
  const [ringing] = calls.store.get().incoming;
  if (!ringing) throw new Error('No call rings.');

  const { media } = ada.parley;
  let open = (_tracks: MediaStreamTrack[]) => {};
  vi.spyOn(media, 'isAvailable', 'get').mockReturnValue(true);
  vi.spyOn(media, 'checkHandler').mockReturnValue();
  vi.spyOn(media.inputs, 'capture').mockReturnValue(new Promise((resolve) => (open = resolve)));
  const answering = calls.answer(ringing);
  await until(({ current }) => current?.status === 'opening');
  await calls.hangUp();
  await ben.event('call:declined');
  open([]);
  await answering;
  expect(calls.store.get()).toMatchObject({ current: null, incoming: [], problem: null });
});

it('rejoins a call once if the button is pressed twice', async () => {
  const [ada, ben] = [await harness.client(), await harness.client()];
  const { id } = await ben.parley.calls.start({ to: ada.address, type: 'audio' });
  await ada.event('call:incoming');
  await ada.parley.calls.answer(id);
  const device = await harness.client(ada.account);
  const { calls, until } = pageOf(device);
  await until(({ running }) => running.length === 1);

  const [running] = calls.store.get().running;
  if (!running) throw new Error('No call is running.');
  // Both presses receive their response at the same moment, as when one packet carries both.
  const response = device.parley.calls.getActive();
  vi.spyOn(device.parley.calls, 'getActive').mockReturnValue(response);
  await Promise.all([calls.rejoin(running), calls.rejoin(running)]);
  expect(await statuses(ben)).toEqual([[id, 'active']]);
  expect(calls.store.get().current).toMatchObject({ id, status: 'active' });
});

it('shows a call that began to ring while the calls were read', async () => {
  const [ada, ben] = [await harness.client(), await harness.client()];
  const { calls, until } = pageOf(ada);
  await until(({ endings }) => endings > 0);
  const getActive = ada.parley.calls.getActive.bind(ada.parley.calls);
  vi.spyOn(ada.parley.calls, 'getActive').mockImplementationOnce(async () => {
    const read = await getActive();
    await ben.parley.calls.start({ to: ada.address, type: 'audio' });
    await until(({ incoming }) => incoming.length === 1);
    return read;
  });
  await calls.sync();
  expect(calls.store.get().incoming).toMatchObject([{ from: ben.address }]);
});

it('lists a call whose media could not be set up again, because this device has left it', async () => {
  const [ada, ben] = [await harness.client(), await harness.client()];
  const { calls, until } = pageOf(ada);
  await calls.start(ben.address, 'audio');
  const { id } = await ben.event('call:incoming');
  await ben.parley.calls.answer(id);
  await until(({ current }) => current?.status === 'active');

  const failure = new Error('no media worker is running');
  const { media } = ada.parley;
  vi.spyOn(media, 'isAvailable', 'get').mockReturnValue(true);
  vi.spyOn(media.inputs, 'capture').mockResolvedValue([]);
  vi.spyOn(media, 'checkHandler').mockReturnValue();
  vi.spyOn(media, 'open').mockRejectedValue(failure);
  await calls.repair();
  expect(calls.store.get()).toMatchObject({ current: null, running: [{ id, peer: ben.address }] });
});

it.each([
  ['the session ends', true],
  ['another wallet signs in', false],
])('forgets its calls when %s, and can call after the next sign-in', async (_, signsOut) => {
  const [ada, ben, cem] = [await harness.client(), await harness.client(), await harness.client()];
  const { calls, until } = pageOf(ada);
  await calls.start(ben.address, 'audio');
  await ben.parley.calls.answer((await ben.event('call:incoming')).id);
  await cem.parley.calls.start({ to: ada.address, type: 'audio' });
  await until(({ current, incoming }) => current?.status === 'active' && incoming.length === 1);

  const none = { current: null, incoming: [], running: [] };
  if (signsOut) {
    await ada.parley.signOut();
    expect(calls.store.get()).toMatchObject(none);
  }
  await ada.parley.signIn(privateKeyToAccount(generatePrivateKey()));
  expect(calls.store.get()).toMatchObject(none);
  await calls.start((await harness.client()).address, 'audio');
  expect(calls.store.get()).toMatchObject({ current: { status: 'ringing' }, incoming: [], running: [] });
});
