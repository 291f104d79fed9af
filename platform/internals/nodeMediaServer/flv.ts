import Flv from 'node-media-server/src/protocol/flv.js';
import type { AvPacket } from 'node-media-server/src/protocol/rtmp.js';

export type { AvPacket };

/** Values of AvPacket.codec_type. */
export const audio = 8;
export const video = 9;
/** Values of AvPacket.flags. */
export const audioHeader = 0;
export const videoHeader = 2;
export const keyFrame = 3;
/** The value of AvPacket.codec_id for AAC audio. */
export const aac = 10;

/** The start of an FLV file. */
export const flvHeader = (hasAudio: boolean, hasVideo: boolean): Buffer =>
  Flv.createHeader(hasAudio, hasVideo);

/** A packet as a tag of an FLV file. The tag has its own copy of the packet's bytes, because the next packet overwrites them. */
export const flvTag = (packet: AvPacket): Buffer => Flv.createMessage(packet);
