import Rtmp from 'node-media-server/src/protocol/rtmp.js';

interface RtmpWishes {
  onPublish: (app: string, key: string) => void;
  onPlay: () => void;
  /** The bytes it holds change. @returns false when it may not hold so many */
  onHold: (bytes: number) => boolean;
}

/** Of one message: a key frame of 4K is smaller. */
const mostMessageBytes = 4 * 1024 * 1024;
/** Before anybody has shown a key. */
const mostStrangersBytes = 16 * 1024;
/** Of all unfinished messages of a connection: two of the largest, since picture and sound may alternate. */
const mostHeldBytes = 8 * 1024 * 1024 + 64 * 1024;
const mostChunkStreams = 16;
/** A message over this is large: its memory is freed when the message is complete. */
const largeBytes = 64 * 1024;
/** Unfinished at a time: picture, sound and data. */
const mostLargeMessages = 3;
/** What the parser adds to each message's length, and what a chunk stream keeps between large messages. */
const spareBytes = 1024;
const mostChunkBytes = 16 * 1024 * 1024;

/** node-media-server's parser with bounds: on message sizes, on the memory it holds, and on who may publish. */
export class BoundedRtmp extends Rtmp {
  isTrusted = false;
  #hasAsked = false;
  #held = 0;
  readonly #wishes: RtmpWishes;

  constructor(wishes: RtmpWishes) {
    super();
    this.#wishes = wishes;
  }

  override chunkMessageHeaderRead(): number {
    const { header, bytes } = this.parserPacket;
    const before = header.length;
    const offset = super.chunkMessageHeaderRead();
    // The parser would read outside the memory it has for this message.
    if (bytes > 0 && header.length !== before) throw new Error('the length of a message changes within it');
    return offset;
  }

  override packetAlloc(): void {
    const { header, capacity } = this.parserPacket;
    const most = this.isTrusted ? mostMessageBytes : mostStrangersBytes;
    const isSane = this.inChunkSize >= 1 && this.inChunkSize <= mostChunkBytes;
    if (!isSane || header.length > most || this.inPackets.size > mostChunkStreams)
      throw new Error('too much');
    if (capacity < header.length) this.#hold(header.length + spareBytes - capacity);
    super.packetAlloc();
    if (this.#largeMessages() > mostLargeMessages) throw new Error('too many large messages at a time');
  }

  override packetHandler(): void {
    super.packetHandler();
    const packet = this.parserPacket;
    if (packet.capacity <= largeBytes) return;
    this.#hold(spareBytes - packet.capacity);
    packet.payload = Buffer.alloc(spareBytes);
    packet.capacity = spareBytes;
  }

  override onPublish({ streamName }: { streamName?: unknown }): void {
    if (typeof streamName !== 'string' || this.#hasAsked) throw new Error('no name, or a second one');
    this.#hasAsked = true;
    this.streamId = this.parserPacket.header.stream_id;
    // OBS may append what it calls a query.
    this.#wishes.onPublish(String(this.streamApp ?? ''), streamName.split('?')[0] ?? '');
  }

  override onPlay(): void {
    this.streamId = this.parserPacket.header.stream_id;
    this.#wishes.onPlay();
  }

  #hold(more: number): void {
    this.#held += more;
    if (this.#held > mostHeldBytes || !this.#wishes.onHold(this.#held)) throw new Error('too much memory');
  }

  #largeMessages(): number {
    return [...this.inPackets.values()].filter(({ capacity }) => capacity > largeBytes).length;
  }
}
