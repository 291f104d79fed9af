import Flv from 'node-media-server/src/protocol/flv.js';
import type { AvPacket } from 'node-media-server/src/protocol/rtmp.js';
import type { ByteBudget, ByteShare } from './ByteBudget.ts';

/** A group of four seconds and some, at 20 Mbit/s. */
const mostBytes = 16 * 1024 * 1024;

/** What a decoder needs that begins now: how the codecs begin, and all since the last key frame. */
export class RecentTags {
  #sound: Buffer | null = null;
  #picture: Buffer | null = null;
  #group: Buffer[] = [];
  #bytes = 0;
  /** There is more since the last key frame than is kept: the next one is waited for. */
  #isTooLong = false;
  #hasOtherSound = false;
  readonly #share: ByteShare;

  /** @param budget what all publishers together may keep: whoever keeps most waits for its next key frame when that is exceeded */
  constructor(budget: ByteBudget) {
    this.#share = budget.open(() => this.#giveUp());
  }

  get hasSound(): boolean {
    return this.#sound !== null || this.#hasOtherSound;
  }

  get hasPicture(): boolean {
    return this.#picture !== null;
  }

  /** @returns the message as it stands in a file */
  add(packet: AvPacket): Buffer {
    const tag = Flv.createMessage(packet);
    const isPicture = packet.codec_type === video;
    if (isPicture && packet.flags === pictureHeader) this.#picture = tag;
    else if (packet.codec_type === audio && packet.flags === soundHeader) this.#sound = tag;
    else {
      if (packet.codec_type === audio && packet.codec_id !== aac) this.#hasOtherSound = true;
      if (isPicture && packet.flags === keyFrame) this.#begin();
      this.#keep(tag);
    }
    return tag;
  }

  /** The beginning of a file that ends with the latest message. */
  replay(): Buffer[] {
    const header = Flv.createHeader(this.hasSound, this.hasPicture);
    const heads = [this.#picture, this.#sound].filter((tag) => tag !== null);
    return [header, ...heads, ...this.#group];
  }

  /** Keeps nothing from now on. */
  close(): void {
    this.#giveUp();
    this.#share.close();
  }

  #begin(): void {
    this.#group = [];
    this.#bytes = 0;
    this.#isTooLong = false;
  }

  #giveUp(): void {
    this.#begin();
    this.#isTooLong = true;
  }

  #keep(tag: Buffer): void {
    if (this.#isTooLong) return;
    this.#group.push(tag);
    this.#bytes += tag.length;
    if (this.#bytes > mostBytes) this.#giveUp();
    this.#share.hold(this.#bytes);
  }
}

export const audio = 8;
export const video = 9;
export const pictureHeader = 2;
export const keyFrame = 3;
const soundHeader = 0;
const aac = 10;
