import { randomUUID } from 'node:crypto';
import type { RtpCapabilities, Source } from '../sdk/protocol/media.ts';
import type { Layers, Size } from './layers.ts';
import type { ConsumerInfo, NewPeer, PeerInfo, PeerTag } from './MediaCluster.ts';
import type { ConsumerSetting, PeerTransports, RoomPart } from './RoomPart.ts';

/** What a member sends. */
export interface Sent {
  readonly producerId: string;
  readonly source: Source;
  readonly from: Member;
  /** The part it enters the room by. */
  readonly home: RoomPart;
  readonly layers: Layers;
  /** The size of the picture. */
  readonly size: Size;
  isPaused: boolean;
  isClosed: boolean;
  /** How well its packets come in, 0 to 10. */
  score: number;
  /** Packets have come in of late, as far as it tells that. */
  isArriving: boolean;
}

/** What a member receives: a consumer, and what decides whether packets flow. */
export interface Reception {
  readonly info: ConsumerInfo;
  readonly sent: Sent;
  readonly to: Member;
  /** The device is ready for packets. */
  isReady: boolean;
  /** The app shows it; or has not said that it doesn't. */
  isVisible: boolean;
  /** The highest layer worth sending, by the size it is shown in; null until the app tells that. */
  layer: number | null;
  /** Its speaker is among those who are heard. */
  isHeard: boolean;
  /** As the part was told last. */
  applied: Omit<ConsumerSetting, 'consumerId'>;
  score: number;
  /** The layer that comes; null before the first. */
  flowing: number | null;
}

/** One device in a room. */
export class Member {
  readonly id: string;
  /** Its name in its part, which no other life of the same device shares. */
  readonly key: string = randomUUID();
  readonly seat: string;
  readonly isCrowd: boolean;
  /** It looks on: nobody hears of it. */
  readonly isAudience: boolean;
  readonly rtpCapabilities: RtpCapabilities;
  readonly part: RoomPart;
  readonly transports: PeerTransports;
  tag: PeerTag;
  /** Its node is about to leave, and it is joining elsewhere: until then it stays. */
  isMoving = false;
  hasLeft = false;
  readonly sent = new Map<Source, Sent>();
  readonly receptions = new Map<string, Reception>();
  /** Producers it receives, or will in a moment. */
  readonly receives = new Set<string>();

  static async enter(peer: NewPeer, part: RoomPart): Promise<Member> {
    const key = randomUUID();
    const { rtpCapabilities, crowd, maxIncomingBitrate } = peer;
    const options = { rtpCapabilities, crowd, maxIncomingBitrate };
    return new Member(peer, part, key, await part.addPeer(key, options));
  }

  private constructor(peer: NewPeer, part: RoomPart, key: string, transports: PeerTransports) {
    this.id = peer.peerId;
    this.key = key;
    this.seat = peer.seat;
    this.tag = peer.tag;
    this.isCrowd = peer.crowd;
    this.isAudience = peer.audience ?? false;
    this.rtpCapabilities = peer.rtpCapabilities;
    this.part = part;
    this.transports = transports;
  }

  get info(): PeerInfo {
    const sending = [...this.sent.values()].filter(({ isPaused }) => !isPaused).map(({ source }) => source);
    return { peerId: this.id, tag: this.tag, sending };
  }
}

/** What the part of a consumer's device is to do with it. */
export function settingOf({ isReady, isVisible, isHeard, layer }: Reception): Reception['applied'] {
  return { paused: !(isReady && isVisible && isHeard), layer };
}
