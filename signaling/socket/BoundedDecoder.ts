import { Decoder, PacketType } from 'socket.io-parser';
import { maxMessageBytes, tooLarge } from '../../sdk/protocol/limits.ts';

/** Stands where the payload of a message that can't be read would be; the Door answers it. */
export class Unreadable {
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}

/** An event's type, perhaps a number of attachments, and the id under which an answer is awaited. */
const eventHead = /^[25](?:\d{1,3}-)?(\d{1,15})\[/;
/** Bytes that follow as messages of their own. */
const attachments = /^[56](\d{1,3})-/;
const connect = String(PacketType.CONNECT);

/**
 * Socket.IO's decoder, but what is too large, binary or nonsense does not end the connection: it is not parsed any further, and
 * its sender gets an answer.
 */
export class BoundedDecoder extends Decoder {
  /** Binary messages still to come that belong to an event which was refused. */
  #toSkip = 0;

  override add(chunk: unknown): void {
    if (typeof chunk !== 'string') return this.#addBinary();
    this.#toSkip = 0;
    const [, binaries] = attachments.exec(chunk) ?? [];
    if (binaries) {
      this.#toSkip = Number(binaries);
      return this.#refuse(chunk, 'No request carries binary data.');
    }
    const bytes = Buffer.byteLength(chunk);
    if (bytes > maxMessageBytes) return this.#refuse(chunk, tooLarge(bytes));
    if (chunk[1] === '/' && chunk[0] !== connect) return this.#refuse(chunk, 'There are no namespaces here.');
    try {
      super.add(chunk);
    } catch {
      this.#refuse(chunk, 'The message is not of Socket.IO’s form, or its name is reserved.');
    }
  }

  #addBinary(): void {
    if (this.#toSkip === 0) this.#refuse('', 'No request carries binary data.');
    else this.#toSkip--;
  }

  /** Before the handshake is through there is nobody to answer: Socket.IO then closes the connection. */
  #refuse(chunk: string, why: string): void {
    const [, id] = eventHead.exec(chunk) ?? [];
    this.emitReserved('decoded', {
      type: PacketType.EVENT,
      nsp: '/',
      // Without its name: Socket.IO would tell listeners of `disconnect`, which clients may not send.
      data: ['', new Unreadable(why)],
      ...(id ? { id: Number(id) } : {}),
    });
  }
}
