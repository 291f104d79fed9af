import { randomUUID } from 'node:crypto';
import type { Source } from '../../sdk/protocol/media.ts';
import { layersOf, type Layers, type Size } from './layers.ts';
import type { Branch } from './PipeTrees.ts';
import type { ConsumerInfo, NewPeer, NewProducer, PeerInfo, PeerTag } from '../roomOperations.ts';
import type { EgressView } from '../plainRtp.ts';
import type { RoomRouter } from '../router/RoomRouter.ts';
import type {
  ConsumerSetting,
  PeerTransports,
  PlainEnds,
  PlainPeerOptions,
} from '../router/routerOperations.ts';

/** One source that a member sends. */
export interface Publication {
  readonly producerId: string;
  readonly source: Source;
  readonly from: Member;
  /** The router of its sender. */
  readonly home: RoomRouter;
  readonly layers: Layers;
  /** The size of the video. */
  readonly size: Size;
  /** The membership's revision with which it was allowed. Older nodes do not send it. */
  readonly revision: number | undefined;
  /** Another source of the same sender; the publication is paused unless that source is sent. */
  readonly along: Source | null;
  /** Whether its sender or a host paused it. */
  isHalted: boolean;
  /** Whether no packets flow: it is halted, or the source it depends on is paused or missing. */
  isPaused: boolean;
  isClosed: boolean;
  /** The quality of incoming packets, 0 to 10. */
  score: number;
}

/** One source that a member receives: its consumer, and the state that decides whether packets flow. */
export interface Subscription {
  readonly info: ConsumerInfo;
  readonly publication: Publication;
  readonly to: Member;
  /** The pipe branch through which the media arrives; null when publisher and subscriber share a router. */
  readonly branch: Branch | null;
  /** The subscription that this one replaces. It is closed some time after the device is ready for this one. */
  readonly former: Subscription | null;
  /** Whether another subscription is replacing this one. */
  isFormer: boolean;
  /** Whether the device is ready for packets. */
  isReady: boolean;
  /** Whether the app shows it. True until the app reports otherwise. */
  isVisible: boolean;
  /** The highest useful layer for the size at which it is shown; null until the app reports a size. */
  layer: number | null;
  /** Whether it is forwarded. Always true for plain RTP peers and sources other than microphones. */
  isForwarded: boolean;
  /** The setting last sent to the router. */
  applied: Omit<ConsumerSetting, 'consumerId'>;
  score: number;
  /** The layer being received; null before the first. */
  flowing: number | null;
}

/** What a plain RTP peer receives: one identity's camera and microphone, or its screen. */
export interface EgressState {
  identity: string;
  shows: EgressView;
}

/** A plain RTP peer that enters a room. */
export interface NewPlainPeer extends Pick<NewPeer, 'peerId' | 'identity' | 'tag' | 'revision' | 'order'> {
  /** The node it runs on; null for the node of the room. */
  nodeId: string | null;
  srtpKeyBase64: string;
  receivesAt: PlainPeerOptions['receivesAt'];
  /** What it receives; null for a peer that sends. */
  egresses: EgressState | null;
}

export type NewMember = NewPeer | NewPlainPeer;

/** What was last decided about a source of a member, whether it is published or not, and the membership's revision at that time. */
interface Decision {
  is: 'flowing' | 'paused' | 'closed';
  revision: number;
}

/** Used when the sender does not give a size. */
const defaultSize: Size = { width: 1280, height: 720 };

/** One device in a room, or a plain RTP peer. */
export class Member {
  readonly id: string;
  /** Its key on its router. Unlike the peer id, it is new for each join. */
  readonly key: string = randomUUID();
  readonly identity: string;
  readonly isMultiparty: boolean;
  /** Whether it is a viewer. Viewers are not announced to other members. */
  readonly isViewer: boolean;
  /** Whether it gets the media of the others. */
  readonly isReceiver: boolean;
  readonly router: RoomRouter;
  /** Only for devices. */
  readonly transports: PeerTransports | null;
  /** Only for plain RTP peers. */
  readonly ends: PlainEnds | null;
  readonly egresses: EgressState | null;
  tag: PeerTag;
  /** The revision of the membership with which it joined or resumed. */
  revision: number | undefined;
  /** Whether it is a player (WHEP). A player has one transceiver for video, in which a new video replaces the current one. */
  readonly isPlayer: boolean;
  /** Whether it was asked to join again on another node, because its own is draining. It stays until it has. */
  isMoving = false;
  hasLeft = false;
  /** Whether its media connection was lost, as the router has reported, and it has not restarted ICE since. */
  isDisconnected = false;
  /** Whether its packets arrive; only measured where `arriving` events report it. */
  isArriving = false;
  /** Whether it always sends everything, because it cannot be told which layers are needed: by WHIP or plain RTP. */
  sendsAlways: boolean;
  readonly publications = new Map<Source, Publication>();
  /** The last request to publish each source. */
  readonly starts = new Map<
    Source,
    { request: Omit<NewProducer, 'revision'>; started: Promise<Publication> }
  >();
  readonly subscriptions = new Map<string, Subscription>();
  /** Producers it receives, or whose consumers are being created. */
  readonly receives = new Set<string>();
  readonly #decisions = new Map<Source, Decision>();

  static async enter(peer: NewMember, router: RoomRouter): Promise<Member> {
    const key = randomUUID();
    if ('rtpCapabilities' in peer) {
      const { rtpCapabilities, multiparty, maxIncomingBitrate, isViewer, consents } = peer;
      const options = { key, rtpCapabilities, multiparty, maxIncomingBitrate, isViewer, consents };
      return new Member(peer, router, key, await router.addPeer(options));
    }
    const { nodeId, srtpKeyBase64, receivesAt } = peer;
    const secure = router.nodeId !== nodeId;
    const ends = await router.addPlainPeer({ key, secure, srtpKeyBase64, receivesAt });
    return new Member(peer, router, key, ends);
  }

  private constructor(peer: NewMember, router: RoomRouter, key: string, ways: PeerTransports | PlainEnds) {
    this.id = peer.peerId;
    this.key = key;
    this.identity = peer.identity;
    this.tag = peer.tag;
    this.revision = peer.revision;
    const isDevice = 'rtpCapabilities' in peer;
    this.isMultiparty = isDevice ? peer.multiparty : true;
    this.egresses = isDevice ? null : peer.egresses;
    this.isPlayer = isDevice && peer.payloadTypes !== undefined;
    this.isViewer = isDevice ? (peer.isViewer ?? false) : peer.egresses !== null;
    this.isReceiver = isDevice ? (peer.receives ?? true) : true;
    this.router = router;
    this.transports = 'sendTransport' in ways ? ways : null;
    this.ends = 'sendTransport' in ways ? null : ways;
    this.sendsAlways = !isDevice;
  }

  /** Records a decision of signalling. @returns false if a later one is known */
  decide(source: Source, is: Decision['is'], revision: number | undefined): boolean {
    if (revision === undefined) return true;
    if (revision < (this.#decisions.get(source)?.revision ?? 0)) return false;
    this.#decisions.set(source, { is, revision });
    return true;
  }

  /** What was decided about a source after its producer was allowed with this revision; null if nothing was. */
  decidedSince({ source, revision }: NewProducer): Decision['is'] | null {
    const decision = this.#decisions.get(source);
    return decision && revision !== undefined && revision < decision.revision ? decision.is : null;
  }

  /** Adds a publication. */
  send(
    producerId: string,
    { source, rtpParameters, paused, size, along, revision }: NewProducer,
  ): Publication {
    const publication: Publication = {
      producerId,
      source,
      revision,
      from: this,
      home: this.router,
      layers: layersOf(rtpParameters),
      size: size ?? defaultSize,
      along: along ?? null,
      isHalted: paused,
      isPaused: paused || along !== undefined,
      isClosed: false,
      score: 10,
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

/** The setting of a subscription's consumer on the subscriber's router. */
export function settingOf({ isReady, isVisible, isForwarded, layer }: Subscription): Subscription['applied'] {
  return { paused: !(isReady && isVisible && isForwarded), layer };
}
