import {
  flvHeader,
  flvTag,
  type AvPacket,
  audio,
  video,
  videoHeader,
  keyFrame,
  audioHeader,
  aac,
} from '../../../platform/internals/nodeMediaServer/flv.ts';
import type { ByteBudget, ByteShare } from './ByteBudget.ts';

/** The maximum size of a group of pictures: more than six seconds at 20 Mbit/s. */
const maxBytes = 16 * 1024 * 1024;

/** The tags that a new decoder needs: the codec headers, and everything since the last key frame. Sound alone needs no earlier tags. */
export class RecentTags {
  #audioHeader: Buffer | null = null;
  #videoHeader: Buffer | null = null;
  #group: Buffer[] = [];
  #bytes = 0;
  /** Whether the group was discarded because it exceeded a limit. Tags are kept again from the next key frame on. */
  #isTooLong = false;
  #hasOtherAudio = false;
  readonly #share: ByteShare;

  /**
   * @param budget the memory all publishers share; if it is exceeded, the largest holder discards its tags and waits for its next key frame
   */
  constructor(budget: ByteBudget) {
    this.#share = budget.open(() => this.#giveUp());
  }

  get hasAudio(): boolean {
    return this.#audioHeader !== null || this.#hasOtherAudio;
  }

  get hasVideo(): boolean {
    return this.#videoHeader !== null;
  }

  /** @returns the message as a tag of an FLV file */
  add(packet: AvPacket): Buffer {
    const tag = flvTag(packet);
    const isVideo = packet.codec_type === video;
    if (isVideo && packet.flags === videoHeader) this.#takeVideoHeader(tag);
    else if (packet.codec_type === audio && packet.flags === audioHeader) this.#audioHeader = tag;
    else {
      if (packet.codec_type === audio && packet.codec_id !== aac) this.#hasOtherAudio = true;
      if (isVideo && packet.flags === keyFrame) this.#begin();
      this.#keep(tag);
    }
    return tag;
  }

  /** The start of an FLV file that ends with the latest message. */
  replay(): Buffer[] {
    const header = flvHeader(this.hasAudio, this.hasVideo);
    const heads = [this.#videoHeader, this.#audioHeader].filter((tag) => tag !== null);
    return [header, ...heads, ...this.#group];
  }

  /** Frees the memory. Later tags are not kept. */
  close(): void {
    this.#giveUp();
    this.#share.close();
  }

  #takeVideoHeader(tag: Buffer): void {
    // Pictures that came before another header cannot be decoded with it. Some encoders repeat the same one.
    if (this.#videoHeader && !bodyOf(this.#videoHeader).equals(bodyOf(tag))) this.#giveUp();
    this.#videoHeader = tag;
  }

  #begin(): void {
    this.#group = [];
    this.#bytes = 0;
    this.#isTooLong = false;
  }

  #giveUp(): void {
    this.#begin();
    this.#isTooLong = true;
    this.#share.hold(0);
  }

  #keep(tag: Buffer): void {
    // Without pictures no key frame would ever end the group, and a new ffmpeg would send minutes of sound again.
    if (this.#isTooLong || !this.hasVideo) return;
    this.#group.push(tag);
    this.#bytes += tag.length;
    if (this.#bytes > maxBytes) this.#giveUp();
    this.#share.hold(this.#bytes);
  }
}

/** A tag begins with its type, length and time. */
const bodyOf = (tag: Buffer) => tag.subarray(11);
