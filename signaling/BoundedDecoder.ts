import { Decoder, PacketType } from 'socket.io-parser';

/** What a client may send in one message, in characters of JSON. */
export const maxMessageLength = 64 * 1024;

/** Stands where the payload of a message that is too large would be; the Door answers it. */
export class Oversized {
  readonly bytes: number;
  readonly limit = maxMessageLength;

  constructor(bytes: number) {
    this.bytes = bytes;
  }
}

/** An event's type, id and name, at the beginning of the packet. */
const eventHead = /^2(\d{0,15})\["([^"\\]{1,64})"/;

/**
 * Socket.IO's decoder, but for messages that are too large: these are not parsed, only their head is, so that the sender gets
 * an answer and keeps its connection, and the server does no work for them.
 */
export class BoundedDecoder extends Decoder {
  override add(chunk: unknown): void {
    if (typeof chunk !== 'string' || chunk.length <= maxMessageLength) {
      super.add(chunk);
      return;
    }
    const [, id, name] = eventHead.exec(chunk) ?? [];
    if (name === undefined) throw new Error('a packet that is too large, and no event');
    const data = [name, new Oversized(chunk.length)];
    this.emitReserved('decoded', {
      type: PacketType.EVENT,
      nsp: '/',
      data,
      ...(id ? { id: Number(id) } : {}),
    });
  }
}
