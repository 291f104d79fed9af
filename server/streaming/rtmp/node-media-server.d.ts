/** As much of node-media-server as is used here, which is its RTMP and FLV without its server: it brings no types. */
declare module 'node-media-server/src/protocol/rtmp.js' {
  export default class Rtmp {
    /** Bytes in a chunk, as the other end has said. */
    inChunkSize: number;
    /** Bytes after which the other end wants to hear that they have come, where it has said so. */
    ackSize?: number;
    streamApp?: string;
    streamName?: string;
    streamId?: number;
    /** The latest message of each chunk stream, finished or not. */
    inPackets: Map<number, RtmpPacket>;
    parserPacket: RtmpPacket;
    onOutputCallback: (bytes: Buffer) => void;
    onPacketCallback: (packet: AvPacket) => void;
    onPublish(message: { streamName?: unknown }): void;
    onPlay(message: { streamName?: unknown }): void;
    /** A chunk's header is complete. @returns its length */
    chunkMessageHeaderRead(): number;
    /** A message begins: makes its payload large enough, 1024 bytes over its length where it was not. */
    packetAlloc(): void;
    /** A message is complete. */
    packetHandler(): void;
    sendACK(bytes: number): void;
    sendStatusMessage(streamId: number, level: string, code: string, description: string): void;
    /** @returns what is wrong */
    parserData(bytes: Buffer): string | null;
  }

  interface RtmpPacket {
    header: { length: number; stream_id: number };
    payload: Buffer;
    /** Bytes of the payload that are allocated. */
    capacity: number;
    /** Bytes of the message that have come. */
    bytes: number;
  }

  /** A message of sound, picture or data. Its bytes are overwritten by the next. */
  export interface AvPacket {
    /** 8 sound, 9 picture, 18 data. */
    codec_type: number;
    codec_id: number;
    /** 0 and 2: what a decoder begins with; 3: a key frame. */
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
    /** Copies its bytes. */
    static createMessage(packet: AvPacket): Buffer;
  }
}
