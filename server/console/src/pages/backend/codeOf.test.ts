import { expect, it } from 'vitest';
import { codeOf } from './codeOf.ts';

const origin = 'https://calls.example.org';
const wanted = { identity: 'alice', displayName: "Al 'O" };
const tried = { kind: 'rooms', subjectId: 'room_1', newRoom: null, wanted } as const;

it('shows how a backend creates a token', () => {
  const code = codeOf('node', tried, origin);
  expect(code).toContain(`client.rooms.createToken('room_1', {`);
  expect(code).toContain(`displayName: "Al 'O",`);
  expect(code).not.toContain('rooms.create(');
  expect(codeOf('node', { ...tried, newRoom: 'Stand-up' }, origin)).toContain(
    'client.rooms.createToken(room.id',
  );
});

it('quotes the body for a shell', () => {
  const code = codeOf('curl', tried, origin);
  expect(code).toContain(`${origin}/api/v1/rooms/room_1/tokens`);
  expect(code).toContain(String.raw`"displayName":"Al '\''O"`);
});
