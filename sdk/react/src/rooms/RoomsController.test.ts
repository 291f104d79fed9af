import { afterAll, beforeAll, expect, it } from 'vitest';
import { oneNode, type OneNode } from '../../../../test/harness/nodes/Harness.ts';
import { Services } from '../core/Services.ts';
import { RoomsController } from './RoomsController.ts';

/* The controller with the SDK and a real server, without media. */

let harness: OneNode;

beforeAll(async () => {
  harness = await oneNode();
});
afterAll(() => harness?.close());

it('forgets an invitation when the session ends', async () => {
  const [host, ada] = [await harness.client(), await harness.client()];
  const rooms = new RoomsController(new Services(ada.parley));
  const { id } = await host.parley.conference.create({ name: 'Friday', maxParticipants: 5 });
  await host.parley.conference.invite(id, [ada.address]);
  await expect.poll(() => rooms.invitation.get()?.room.id).toBe(id);
  await ada.parley.signOut();
  expect(rooms.invitation.get()).toBeNull();
});
