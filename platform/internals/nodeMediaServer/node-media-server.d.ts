/** Types for the parts of node-media-server used here, its RTMP parser and its FLV writer. The package has no types. */
declare module 'node-media-server/src/protocol/rtmp.js' {
  export default class Rtmp {
    /** The chunk size that the other end has announced. */
    inChunkSize: number;
    /** The acknowledgement window of the other end, if it has announced one. */
    ackSize?: number;
    streamApp?: string;
    streamName?: string;
    streamId?: number;
    /** The latest message of each chunk stream, complete or not. */
    inPackets: Map<number, RtmpPacket>;
    parserPacket: RtmpPacket;
    /** What is read next: 1 and 2 the header of a chunk, 4 its payload. */
    parserState: number;
    /** The header of the present chunk, the number of its bytes read so far, and how many of them name the chunk stream. */
    parserBuffer: Buffer;
    parserBytes: number;
    parserBasicBytes: number;
    onOutputCallback: (bytes: Buffer) => void;
    onPacketCallback: (packet: AvPacket) => void;
    /** Called when a command is complete. */
    invokeHandler(): void;
    onConnect(message: { cmdObj: object }): void;
    onPublish(message: { streamName?: unknown }): void;
    onPlay(message: { streamName?: unknown }): void;
    onDeleteStream(): void;
    /**
     * Called when the header of a chunk is complete.
     * @returns its length
     */
    chunkMessageHeaderRead(): number;
    /** Called at the start of a message: allocates its payload, with 1024 bytes more than its length. */
    packetAlloc(): void;
    /** Called when a message is complete. */
    packetHandler(): void;
    /** Reads chunks. @returns null */
    chunkRead(bytes: Buffer, from: number, length: number): string | null;
    sendACK(bytes: number): void;
    sendStatusMessage(streamId: number, level: string, code: string, description: string): void;
    /** @returns the problem, or null */
    parserData(bytes: Buffer): string | null;
  }

  export interface RtmpPacket {
    header: {
      /** The form of the latest chunk: 3 has no header of its own. */
      fmt: number;
      /** 0xffffff if an extended timestamp follows the header. */
      timestamp: number;
      length: number;
      type: number;
      stream_id: number;
    };
    /** The time of the message, in milliseconds. */
    clock: number;
    payload: Buffer;
    /** The allocated size of the payload. */
    capacity: number;
    /** The bytes of the message received so far. */
    bytes: number;
  }

  /** An audio, video or data message. The next message overwrites its bytes. */
  export interface AvPacket {
    /** 8 audio, 9 video, 18 data. */
    codec_type: number;
    codec_id: number;
    /** 0 and 2: codec headers; 3: a key frame. */
    flags: number;
    dts: number;
    pts: number;
    size: number;
    data: Buffer;
  }
}

declare module 'node-media-server/src/protocol/flv.js' {
  import type { AvPacket } from 'node-media-server/src/protocol/rtmp.js';

  export default class Flv {
    static createHeader(hasAudio: boolean, hasVideo: boolean): Buffer;
    /** Copies the packet's bytes. */
    static createMessage(packet: AvPacket): Buffer;
  }
}

declare module 'node-media-server/src/protocol/sps_info.js' {
  const spsInfo: {
    /** @returns null if it cannot be read */
    parseH264Sps(sps: Buffer): { width: number; height: number } | null;
  };
  export default spsInfo;
}
