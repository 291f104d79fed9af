import { createAdapter } from '@socket.io/redis-streams-adapter';
import { MessageType } from 'socket.io-adapter';
import { Decoder, Encoder, PacketType } from 'socket.io-parser';
import { expect, it } from 'vitest';
import { BoundedDecoder, Unreadable } from './BoundedDecoder.ts';
import { broadcastType } from './redisAdapter.ts';

const decodedBy = (decoder: Decoder, ...chunks: unknown[]) => {
  const packets: unknown[] = [];
  decoder.on('decoded', (packet: unknown) => packets.push(packet));
  for (const chunk of chunks) decoder.add(chunk);
  return packets;
};

it('decodes an encoded event that requests an acknowledgement', () => {
  const packet = { type: PacketType.EVENT, nsp: '/', data: ['calls.start', { to: '0x1' }], id: 7 };
  const chunks: unknown[] = new Encoder().encode(packet);
  expect(decodedBy(new BoundedDecoder(), ...chunks)).toEqual([packet]);
});

it('puts the id of an acknowledgement directly before the payload, where BoundedDecoder finds it', () => {
  const chunks: unknown[] = new Encoder().encode({ type: PacketType.EVENT, nsp: '/', data: ['x'], id: 41 });
  expect(chunks).toEqual(['241["x"]']);
  const [refused] = decodedBy(new BoundedDecoder(), '241["x"') as [{ id: number; data: unknown[] }];
  expect(refused.id).toBe(41);
  expect(refused.data[1]).toBeInstanceOf(Unreadable);
});

it('sends binary data as a head with the number of attachments, then each attachment', () => {
  const binary = { type: PacketType.EVENT, nsp: '/', data: ['x', Buffer.from('a')], id: 3 };
  const chunks: unknown[] = new Encoder().encode(binary);
  expect(chunks).toHaveLength(2);
  expect(chunks[0]).toMatch(/^51-3\[/);
  expect(decodedBy(new BoundedDecoder(), ...chunks)).toHaveLength(1);
});

it("throws in Socket.IO's own decoder on a malformed packet, where BoundedDecoder reports an error instead", () => {
  expect(() => new Decoder().add('2{')).toThrow();
  expect(decodedBy(new BoundedDecoder(), '2{')).toHaveLength(1);
});

it('uses the same number for broadcasts as socket.io-adapter', () => {
  expect(broadcastType).toBe(MessageType.BROADCAST);
});

it('creates adapters that publish and broadcast through methods that can be replaced', () => {
  const client = {
    sSubscribe: () => undefined,
    duplicate: () => client,
    on: () => client,
    connect: () => Promise.resolve(),
    xRead: () => new Promise(() => {}),
    subscribe: () => Promise.resolve(),
    disconnect: () => undefined,
  };
  const create = createAdapter(client, { onlyPlaintext: true });
  const nsp = { name: '/', sockets: new Map(), server: { _opts: {}, encoder: new Encoder() }, adapter: null };
  const adapter = create(nsp) as unknown as Record<string, unknown>;
  for (const method of ['publishAndReturnOffset', 'broadcast', 'close'])
    expect(adapter[method], method).toBeTypeOf('function');
});
