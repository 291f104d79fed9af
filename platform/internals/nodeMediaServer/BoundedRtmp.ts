import Rtmp, { type RtmpPacket } from 'node-media-server/src/protocol/rtmp.js';

interface BoundedRtmpHandlers {
  onPublish: (app: string, key: string) => void;
  onPlay: () => void;
  /** Called when the client ends the stream that it has asked to publish. */
  onDelete: () => void;
  /**
   * Called when the number of held bytes changes.
   * @returns false if the connection must not hold so many
   */
  onHold: (bytes: number) => boolean;
}

/** The maximum size of one message. A key frame of 4K video is smaller. */
const maxMessageBytes = 4 * 1024 * 1024;
/** The maximum size of one message until the client has sent a valid stream key. */
const maxStrangerBytes = 16 * 1024;
/** The maximum total size of the unfinished messages of a connection: two of the largest, because audio and video may alternate. */
const maxHeldBytes = 8 * 1024 * 1024 + 64 * 1024;
const maxChunkStreams = 16;
/** The size above which a message is large. The memory of large messages is freed when they are complete. */
const largeBytes = 64 * 1024;
/** The maximum number of unfinished large messages: one each of video, audio and data. */
const maxLargeMessages = 3;
/** The bytes that the parser allocates beyond each message's length. After a large message, a chunk stream keeps only this much memory. */
const spareBytes = 1024;
const maxChunkBytes = 16 * 1024 * 1024;
/** The type of messages with a command in AMF3, which have one byte more before it than those in AMF0. */
const amf3Command = 17;
/** The commands that the library handles. It writes a line to the server's output for each command that it does not know. */
const handled = new Set(['connect', 'createStream', 'publish', 'play', 'deleteStream']);
/** Commands by which some publishers end a stream, instead of deleteStream or before it. */
const endings = new Set(['FCUnpublish', 'closeStream']);
const anyAddress = 'rtmp://host';
/** Times in milliseconds start again at 0 when they reach this. */
const clockRange = 2 ** 32;
/** States of the parser. */
const [readsBasicHeader, readsHeader, readsPayload] = [1, 2, 4];
/** In place of a time of more than 4.6 hours, which follows the header in four bytes. */
const isExtended = 0xffffff;
const extendedBytes = 4;
const headless = 3;

/** node-media-server's parser with bounds on message sizes and memory. Only trusted connections may send large messages. */
export class BoundedRtmp extends Rtmp {
  isTrusted = false;
  #hasAsked = false;
  #held = 0;
  readonly #handlers: BoundedRtmpHandlers;
  /** The extended time of the latest message of a chunk stream, if it has one. */
  readonly #extended = new WeakMap<RtmpPacket, number>();
  #hasExtended = false;
  /** What the parser reads next. */
  #next: Buffer = Buffer.alloc(0);

  constructor(handlers: BoundedRtmpHandlers) {
    super();
    this.#handlers = handlers;
  }

  /**
   * The extended time is to be repeated in each chunk of a message (section 5.3.1.3 of the specification), and the parser expects that. Some
   * encoders leave it out after the first chunk. As in other servers, four bytes that differ from it are taken for media.
   */
  override chunkRead(data: Buffer, from: number, length: number): string | null {
    this.#next = Buffer.concat([this.#next, data.subarray(from, from + length)]);
    while (this.#next.length > 0) {
      // What follows has to be known.
      if (this.#hasExtended && this.#beginsHeadless && this.#next.length < extendedBytes) break;
      const step = Math.min(this.#stepBytes, this.#next.length);
      super.chunkRead(this.#next, 0, step);
      this.#next = this.#next.subarray(step);
    }
    return null;
  }

  override chunkMessageHeaderRead(): number {
    const { header, bytes } = this.parserPacket;
    const before = header.length;
    const time = this.#extended.get(this.parserPacket);
    if (header.fmt === headless && bytes > 0 && time !== undefined)
      header.timestamp = this.#next.readUInt32BE() === time ? isExtended : 0;
    const offset = super.chunkMessageHeaderRead();
    // If the length changed, the parser would read outside the memory of this message.
    if (bytes > 0 && header.length !== before)
      throw new Error('the length of a message changed between its chunks');
    return offset;
  }

  override packetAlloc(): void {
    const { header, capacity } = this.parserPacket;
    const most = this.isTrusted ? maxMessageBytes : maxStrangerBytes;
    const isSane = this.inChunkSize >= 1 && this.inChunkSize <= maxChunkBytes;
    if (!isSane || header.length > most || this.inPackets.size > maxChunkStreams)
      throw new Error('chunk size, message size or number of chunk streams exceeds the limit');
    // Called when the time of a message was just added up. The parser drops all messages with a larger one.
    this.parserPacket.clock %= clockRange;
    this.#extended.delete(this.parserPacket);
    if (header.timestamp === isExtended) {
      this.#extended.set(this.parserPacket, this.parserBuffer.readUInt32BE(this.parserBytes - extendedBytes));
      this.#hasExtended = true;
    }
    if (capacity < header.length) this.#hold(header.length + spareBytes - capacity);
    super.packetAlloc();
    if (this.#largeMessages() > maxLargeMessages) throw new Error('too many unfinished large messages');
  }

  override packetHandler(): void {
    const packet = this.parserPacket;
    // Some encoders send empty messages. The parser would read outside their memory.
    if (packet.header.length === 0) return;
    super.packetHandler();
    if (packet.capacity <= largeBytes) return;
    this.#hold(spareBytes - packet.capacity);
    packet.payload = Buffer.alloc(spareBytes);
    packet.capacity = spareBytes;
  }

  override invokeHandler(): void {
    const command = this.#command();
    if (endings.has(command)) this.onDeleteStream();
    else if (handled.has(command)) super.invokeHandler();
  }

  override onConnect(message: { cmdObj: object }): void {
    // The parser fails if it cannot read the address, and uses only its host, which is of no use here.
    super.onConnect({ ...message, cmdObj: { ...message.cmdObj, tcUrl: anyAddress } });
  }

  override onPublish({ streamName }: { streamName?: unknown }): void {
    if (typeof streamName !== 'string' || this.#hasAsked)
      throw new Error('publish without a stream name, or for the second time');
    this.#hasAsked = true;
    this.streamId = this.parserPacket.header.stream_id;
    this.#handlers.onPublish(nameIn(String(this.streamApp ?? '')), nameIn(streamName));
  }

  override onPlay(): void {
    this.streamId = this.parserPacket.header.stream_id;
    this.#handlers.onPlay();
  }

  override onDeleteStream(): void {
    if (this.#hasAsked) this.#handlers.onDelete();
  }

  /** Whether the parser has read the beginning of a chunk without a header of its own. */
  get #beginsHeadless(): boolean {
    const hasBegun = this.parserState === readsBasicHeader && this.parserBytes === this.parserBasicBytes;
    return (hasBegun || this.parserState === readsHeader) && this.parserBuffer.readUInt8(0) >> 6 === headless;
  }

  /** How much the parser may read at once: the rest of a chunk, but headers byte by byte. */
  get #stepBytes(): number {
    const { header, bytes } = this.parserPacket;
    if (this.parserState !== readsPayload) return 1;
    return Math.min(this.inChunkSize - (bytes % this.inChunkSize), header.length - bytes) || 1;
  }

  /** The name of the command in the present message. */
  #command(): string {
    const { header, payload } = this.parserPacket;
    const at = header.type === amf3Command ? 1 : 0;
    // After its type, a text has its length in two bytes.
    return payload.toString('utf8', at + 3, at + 3 + payload.readUInt16BE(at + 1));
  }

  #hold(more: number): void {
    this.#held += more;
    if (this.#held > maxHeldBytes || !this.#handlers.onHold(this.#held))
      throw new Error('the connection holds too much memory');
  }

  #largeMessages(): number {
    return [...this.inPackets.values()].filter(({ capacity }) => capacity > largeBytes).length;
  }
}

/** OBS may append a query, and an address that was put together from parts may have a slash too many. */
const nameIn = (part: string): string => {
  const [path = ''] = part.split('?');
  return path
    .split('/')
    .filter((name) => name !== '')
    .join('/');
};
