import { Decoder, Encoder, PacketType } from 'socket.io-parser';
import { maxMessageBytes, tooLarge } from '../../../sdk/protocol/limits.ts';

/** Replaces the payload of a message that could not be read. RequestDispatcher answers it with an error. */
export class Unreadable {
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}

/** The start of an event: its type, the number of attachments if it has any, and the id for the acknowledgement. */
const eventHead = /^[25](?:\d{1,3}-)?(\d{1,15})\[/;
/** The start of a binary packet, with the number of attachments that follow as separate messages. */
const attachments = /^[56](\d{1,3})-/;
const connect = String(PacketType.CONNECT);

/**
 * Socket.IO's decoder, except that an oversized, binary or malformed message does not close the connection: it is not parsed, and
 * its sender gets an error.
 */
export class BoundedDecoder extends Decoder {
  /** The number of attachments still expected for an event that was refused. They are dropped. */
  #toSkip = 0;

  override add(chunk: unknown): void {
    if (typeof chunk !== 'string') return this.#addBinary();
    this.#toSkip = 0;
    const [, binaries] = attachments.exec(chunk) ?? [];
    if (binaries) {
      this.#toSkip = Number(binaries);
      return this.#refuse(chunk, 'Requests carry no binary data: send JSON.');
    }
    const bytes = Buffer.byteLength(chunk);
    if (bytes > maxMessageBytes) return this.#refuse(chunk, tooLarge(bytes));
    if (chunk[1] === '/' && chunk[0] !== connect)
      return this.#refuse(chunk, 'This server has no namespaces: connect to the default one.');
    try {
      super.add(chunk);
    } catch {
      this.#refuse(chunk, 'The message is not a valid Socket.IO packet, or its event name is reserved.');
    }
  }

  #addBinary(): void {
    if (this.#toSkip === 0) this.#refuse('', 'Requests carry no binary data: send JSON.');
    else this.#toSkip--;
  }

  /**
   * Passes on an event with the reason instead of its payload. Before the handshake is complete there is no handler for it, so Socket.IO
   * closes the connection.
   */
  #refuse(chunk: string, why: string): void {
    const [, id] = eventHead.exec(chunk) ?? [];
    this.emitReserved('decoded', {
      type: PacketType.EVENT,
      nsp: '/',
      // The event name is left out, because Socket.IO would call listeners of reserved events such as `disconnect`.
      data: ['', new Unreadable(why)],
      ...(id ? { id: Number(id) } : {}),
    });
  }
}

/** For Socket.IO's option `parser`. */
export const boundedParser = { Encoder, Decoder: BoundedDecoder };
