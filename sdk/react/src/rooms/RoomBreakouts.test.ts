import type { ConferenceRoom, Parley } from '@parley/sdk';
import { expect, it } from 'vitest';
import { RoomBreakouts } from './RoomBreakouts.ts';
import type { RoomState, ShownRoom } from './roomState.ts';

it('shows who is where as it was read last, also if the answers are slow', async () => {
  const room = { id: 'room_1', parentId: null } as ConferenceRoom;
  const answers: ((rooms: ConferenceRoom[]) => void)[] = [];
  const client = {
    breakouts: { list: () => new Promise((resolve) => answers.push(resolve)) },
  } as unknown as Parley;
  let shown: ConferenceRoom[] = [];
  const page: ShownRoom = {
    roomId: room.id,
    store: { get: () => ({ room }) as unknown as RoomState },
    change: ({ breakouts }) => (shown = breakouts?.rooms ?? []),
  };
  const breakouts = new RoomBreakouts(client, page, () => Promise.resolve(true));
  const reads = [breakouts.read(), breakouts.read()];
  const [older, newer] = [[], [room]];
  // The answer to the later request comes first.
  answers[1]?.(newer);
  await new Promise((resolve) => setImmediate(resolve));
  answers[0]?.(older);
  await new Promise((resolve) => setImmediate(resolve));
  answers[1]?.(newer);
  await Promise.all(reads);
  expect(shown).toEqual(newer);
});
