import { randomUUID } from 'node:crypto';
import type { Source } from '../../sdk/protocol/media.ts';
import { layersOf, type Layers, type Size } from './layers.ts';
import type { Branch } from './PipeTrees.ts';
import type { ConsumerInfo, NewPeer, NewProducer, PeerInfo, PeerTag } from '../MediaCluster.ts';
import type { EgressView } from '../plainRtp.ts';
import type {
  ConsumerSetting,
  PeerTransports,
  PlainEnds,
  PlainPeerOptions,
  RoomRouter,
} from '../router/RoomRouter.ts';

/** What a member sends. */
export interface Publication {
  readonly producerId: string;
  readonly source: Source;
  readonly from: Member;
  /** The part it enters the room by. */
  readonly home: RoomRouter;
  readonly layers: Layers;
  /** The size of the picture. */
  readonly size: Size;
  /** It flows only while this is sent, too. */
  readonly along: Source | null;
  /** By its sender, or by a host. */
  isHalted: boolean;
  /** Nothing of it flows: it is halted, or what it goes along with is, or is not there. */
  isPaused: boolean;
  isClosed: boolean;
  /** How well its packets come in, 0 to 10. */
  score: number;
  /** Packets have come in of late, as far as it tells that. */
  isArriving: boolean;
}

/** What a member receives: a consumer, and what decides whether packets flow. */
export interface Subscription {
  readonly info: ConsumerInfo;
  readonly publication: Publication;
  readonly to: Member;
  /** What it comes by; null where it comes from the same part. */
  readonly branch: Branch | null;
  /** Whose place it takes, as soon as it flows. */
  readonly former: Subscription | null;
  /** Another is to take its place. */
  isFormer: boolean;
  /** The device is ready for packets. */
  isReady: boolean;
  /** The app shows it; or has not said that it doesn't. */
  isVisible: boolean;
  /** The highest layer worth sending, by the size it is shown in; null until the app tells that. */
  layer: number | null;
  /** Its speaker is among those who are heard; for a program, everybody is. */
  isForwarded: boolean;
  /** As the part was told last. */
  applied: Omit<ConsumerSetting, 'consumerId'>;
  score: number;
  /** The layer that comes; null before the first. */
  flowing: number | null;
}

/** What a program receives, and nothing else: one seat's camera and microphone, or its screen. */
export interface EgressState {
  identity: string;
  shows: EgressView;
}

/** A program in a room. */
export interface NewPlainPeer extends Pick<NewPeer, 'peerId' | 'identity' | 'tag'> {
  /** The node it runs on; null for that of the room. */
  nodeId: string | null;
  srtpKeyBase64: string;
  receivesAt: PlainPeerOptions['receivesAt'];
  /** What it receives; null for one that sends. */
  egresses: EgressState | null;
}

export type NewMember = NewPeer | NewPlainPeer;

/** Of a picture whose sender does not say. */
const defaultSize: Size = { width: 1280, height: 720 };

/** One device in a room, or a program that speaks plain RTP. */
export class Member {
  readonly id: string;
  /** Its name in its part, which no other life of the same device shares. */
  readonly key: string = randomUUID();
  readonly identity: string;
  readonly isMultiparty: boolean;
  /** It looks on: nobody hears of it. */
  readonly isViewer: boolean;
  readonly router: RoomRouter;
  /** A device's. */
  readonly transports: PeerTransports | null;
  /** A program's. */
  readonly ends: PlainEnds | null;
  readonly egresses: EgressState | null;
  tag: PeerTag;
  /** A player: it has one way for a picture, and takes another picture by the same. */
  readonly isPlayer: boolean;
  /** Its node is about to leave, and it is joining elsewhere: until then it stays. */
  isMoving = false;
  hasLeft = false;
  readonly publications = new Map<Source, Publication>();
  readonly subscriptions = new Map<string, Subscription>();
  /** Producers it receives, or will in a moment. */
  readonly receives = new Set<string>();

  static async enter(peer: NewMember, router: RoomRouter): Promise<Member> {
    const key = randomUUID();
    if ('rtpCapabilities' in peer) {
      const { rtpCapabilities, multiparty, maxIncomingBitrate, isViewer } = peer;
      const options = { rtpCapabilities, multiparty, maxIncomingBitrate, isViewer };
      return new Member(peer, router, key, await router.addPeer(key, options));
    }
    const { nodeId, srtpKeyBase64, receivesAt } = peer;
    const secure = router.nodeId !== nodeId;
    return new Member(
      peer,
      router,
      key,
      await router.addPlainPeer(key, { secure, srtpKeyBase64, receivesAt }),
    );
  }

  private constructor(peer: NewMember, router: RoomRouter, key: string, ways: PeerTransports | PlainEnds) {
    this.id = peer.peerId;
    this.key = key;
    this.identity = peer.identity;
    this.tag = peer.tag;
    const isDevice = 'rtpCapabilities' in peer;
    this.isMultiparty = isDevice ? peer.multiparty : true;
    this.egresses = isDevice ? null : peer.egresses;
    this.isPlayer = isDevice && peer.payloadTypes !== undefined;
    this.isViewer = isDevice ? (peer.isViewer ?? false) : peer.egresses !== null;
    this.router = router;
    this.transports = 'sendTransport' in ways ? ways : null;
    this.ends = 'sendTransport' in ways ? null : ways;
  }

  /** It sends something from now on. */
  send(producerId: string, { source, rtpParameters, paused, size, along }: NewProducer): Publication {
    const publication: Publication = {
      ...{ producerId, source, from: this, home: this.router },
      layers: layersOf(rtpParameters),
      size: size ?? defaultSize,
      along: along ?? null,
      isHalted: paused,
      isPaused: paused || along !== undefined,
      isClosed: false,
      score: 10,
      isArriving: false,
    };
    this.publications.set(source, publication);
    return publication;
  }

  get info(): PeerInfo {
    const sending = [...this.publications.values()]
      .filter(({ isPaused }) => !isPaused)
      .map(({ source }) => source);
    return { peerId: this.id, tag: this.tag, sending };
  }
}

/** What the part of a consumer's device is to do with it. */
export function settingOf({ isReady, isVisible, isForwarded, layer }: Subscription): Subscription['applied'] {
  return { paused: !(isReady && isVisible && isForwarded), layer };
}
