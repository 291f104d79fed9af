import { expect } from 'vitest';
import type { JsonValue, RoomData } from '../../sdk/src/index.ts';
import { longestData } from '../../sdk/protocol/party.ts';
import type { TestClient } from '../harness/clients/TestClient.ts';
import type { Harness } from '../harness/nodes/Harness.ts';
import { created, idIn, refused } from './conference.ts';

/** The settings that the scenarios need. */
export const dataSettings = { RATE_LIMIT_DATA: '2000', RATE_LIMIT_REALTIME: '100000' };

/** JSON that a conversion between the app and the wire could change. */
const values: JsonValue[] = [
  null,
  false,
  0,
  -12.5e-7,
  '',
  'a\0b \ud83d 😀 \u2028',
  [],
  {},
  [[null], { a: [1, 'two'] }],
  JSON.parse('['.repeat(100) + ']'.repeat(100)) as JsonValue,
  { startedAt: '2026-11-20T12:00:00.000Z', revision: 7, to: ['2026-11-20T12:00:00.000Z'], '': 1 },
  { _placeholder: true, num: 0 },
  { json: 1, bytes: 'AAAA', roomId: 'room_1', length: { toString: 1, valueOf: 2 }, toJSON: 1 },
  JSON.parse('{"__proto__":{"isAdmin":true},"constructor":{"prototype":null}}') as JsonValue,
];

/** Scenarios for data messages in conferences without media, on one or several nodes. */
export const conferenceDataScenarios: Record<string, (harness: Harness) => Promise<void>> = {
  async 'reaches everybody else in the room, with its sender'(harness) {
    const { room, alice, bob, carol } = await gathered(harness);
    await bob.parley.conference.sendData(room, 'greeting', { text: 'Hello' });
    await carol.parley.conference.sendData(room, 'end', 'of carol');
    const from = await idIn(alice, room, bob);
    for (const other of [alice, carol])
      expect(await other.event('conference:data', on('greeting'))).toEqual({
        roomId: room,
        from,
        walletAddress: bob.address,
        topic: 'greeting',
        data: { text: 'Hello' },
      });
    await bob.event('conference:data', on('end'));
    expect(bob.seen('conference:data').map(({ topic }) => topic)).toEqual(['end']);
    await alice.parley.conference.end(room);
  },

  async 'arrives unchanged: JSON of every kind, and bytes'(harness) {
    const { room, alice, bob } = await gathered(harness);
    const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    const contents = [...values, bytes, new Uint8Array(), bytes.subarray(250)];
    for (const content of contents) await alice.parley.conference.sendData(room, 'content', content);
    await alice.parley.conference.sendData(room, 'end', 1);
    await bob.event('conference:data', on('end'));
    const received = bob.seen('conference:data').slice(0, -1);
    expect(received.map(({ data }) => data)).toEqual(contents);
    const texts = received.map(({ data }) => JSON.stringify(data));
    expect(texts).toEqual(contents.map((content) => JSON.stringify(content)));
    await alice.parley.conference.end(room);
  },

  async 'arrives in the order of sending, when 500 messages are sent at once'(harness) {
    const { room, alice, bob, carol } = await gathered(harness);
    const bobsId = await idIn(alice, room, bob);
    const numbers = Array.from({ length: 500 }, (_, number) => number);
    // Some go to one participant only, which takes another way through the server.
    const isForBob = (number: number) => number % 5 === 0;
    await Promise.all(
      [alice, carol].flatMap((sender) =>
        numbers.map((number) =>
          sender.parley.conference.sendData(
            room,
            sender.address,
            number,
            isForBob(number) ? { to: [bobsId] } : {},
          ),
        ),
      ),
    );
    for (const [receiver, sender, expected] of [
      [bob, alice, numbers],
      [bob, carol, numbers],
      [alice, carol, numbers.filter((number) => !isForBob(number))],
    ] as const) {
      await receiver.event('conference:data', ({ topic, data }) => topic === sender.address && data === 499);
      const received = receiver.seen('conference:data').filter(on(sender.address));
      expect(received.map(({ data }) => data)).toEqual(expected);
    }
    await alice.parley.conference.end(room);
  },

  async 'reaches only the participants in `to`, and passes over those who have left'(harness) {
    const { room, alice, bob, carol } = await gathered(harness);
    const [bobsId, carolsId] = [await idIn(alice, room, bob), await idIn(alice, room, carol)];
    await alice.parley.conference.sendData(room, 'for bob', 1, { to: [bobsId] });
    await alice.parley.conference.sendData(room, 'for both', 1, { to: [carolsId, bobsId, carolsId] });
    await carol.event('conference:data', on('for both'));
    expect(carol.seen('conference:data')).toHaveLength(1);
    await carol.parley.conference.leave(room);
    await alice.parley.conference.sendData(room, 'for both', 2, { to: [carolsId, bobsId] });
    await bob.event('conference:data', ({ data }) => data === 2);
    expect(bob.seen('conference:data').map(({ topic }) => topic)).toEqual([
      'for bob',
      'for both',
      'for both',
    ]);
    expect(await refused(alice.parley.conference.sendData(room, 'for carol', 1, { to: [carolsId] }))).toEqual(
      ['NOT_FOUND', 'not_found'],
    );
    await alice.parley.conference.end(room);
  },

  async 'may have 16 KB'(harness) {
    const { room, alice, bob } = await gathered(harness);
    // Two bytes in UTF-8, and two quotes.
    const longest = `${'é'.repeat(longestData / 2 - 1)}`;
    const bytes = new Uint8Array(longestData).fill(255);
    await alice.parley.conference.sendData(room, 'json', longest);
    await alice.parley.conference.sendData(room, 'bytes', bytes);
    expect((await bob.event('conference:data', on('json'))).data).toEqual(longest);
    expect((await bob.event('conference:data', on('bytes'))).data).toEqual(bytes);
    for (const [content, path] of [
      [`${longest}x`, 'json'],
      [new Uint8Array(longestData + 1), 'bytes'],
      [new Uint8Array(longestData + 2), 'bytes'],
    ] as const)
      await expect(alice.parley.conference.sendData(room, 'x', content)).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        message: `${path}: must have at most 16384 bytes`,
        details: [{ path, code: 'too_big' }],
      });
    await alice.parley.conference.end(room);
  },

  async 'is refused unless this device is in the room'(harness) {
    const { room, alice, bob, carol } = await gathered(harness);
    const stranger = await harness.client();
    const phone = await harness.client(bob.account);
    const send = (client: TestClient) => refused(client.parley.conference.sendData(room, 'refused', 1));
    expect(await send(stranger)).toEqual(['NOT_FOUND', 'not_found']);
    expect(await send(phone)).toEqual(['CONFLICT', 'replaced']);
    // A message that is sent after the answer to a kick never arrives.
    await alice.parley.conference.kick(room, await idIn(alice, room, carol));
    expect(await send(carol)).toEqual(['NOT_FOUND', 'not_found']);
    await bob.parley.conference.sendData(room, 'end', 1);
    await alice.event('conference:data', on('end'));
    await bob.parley.conference.leave(room);
    expect(await send(bob)).toEqual(['NOT_FOUND', 'not_found']);
    expect(alice.seen('conference:data').map(({ topic }) => topic)).toEqual(['end']);
    await alice.parley.conference.end(room);
    expect(await send(alice)).toEqual(['CONFLICT', 'room_ended']);
  },

  async 'arrives with reliable: false while no connection is congested'(harness) {
    const { room, alice, bob, carol } = await gathered(harness);
    const numbers = Array.from({ length: 100 }, (_, number) => number);
    await Promise.all(
      numbers.map((number) =>
        alice.parley.conference.sendData(room, 'position', number, { reliable: false }),
      ),
    );
    await alice.parley.conference.sendData(room, 'end', 1);
    for (const other of [bob, carol]) {
      await other.event('conference:data', on('end'));
      const positions = other.seen('conference:data').filter(on('position'));
      expect(positions.map(({ data }) => data)).toEqual(numbers);
    }
    await alice.parley.conference.end(room);
  },
};

const on =
  (wanted: string) =>
  ({ topic }: RoomData) =>
    topic === wanted;

/** A room with three participants. Its host is the first. */
async function gathered(harness: Harness) {
  const [alice, bob, carol] = [await harness.client(), await harness.client(), await harness.client()];
  const room = await created(alice);
  for (const client of [alice, bob, carol]) await client.parley.conference.join(room);
  return { room, alice, bob, carol };
}
