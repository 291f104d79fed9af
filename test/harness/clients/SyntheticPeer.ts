import { setTimeout as delay } from 'node:timers/promises';
import wrtc from '@roamhq/wrtc';
import { Device } from 'mediasoup-client';
import type { Consumer, Producer, Transport } from 'mediasoup-client/types';
import type { Size } from '../../../media/room/layers.ts';
import type { MediaCluster, MediaEvents } from '../../../media/MediaCluster.ts';
import type { NewPeer, RoomOperations, View } from '../../../media/roomOperations.ts';
import type { RtpCapabilities, RtpParameters, Source } from '../../../sdk/protocol/media.ts';
import { until } from '../until.ts';

/** The browser globals that mediasoup-client needs. */
const browserGlobals = {
  RTCPeerConnection: wrtc.RTCPeerConnection,
  RTCSessionDescription: wrtc.RTCSessionDescription,
  RTCIceCandidate: wrtc.RTCIceCandidate,
  RTCRtpTransceiver: wrtc.RTCRtpTransceiver,
  RTCRtpSender: wrtc.RTCRtpSender,
  RTCRtpReceiver: wrtc.RTCRtpReceiver,
  MediaStream: wrtc.MediaStream,
  MediaStreamTrack: wrtc.MediaStreamTrack,
};

interface JoinOptions extends Partial<Pick<NewPeer, 'identity' | 'tag' | 'multiparty' | 'isViewer'>> {
  /** Whether the arrival of its packets is reported. @default false */
  tellsArrival?: boolean;
  /** Whether it accepts the consumers it is offered. @default true */
  consumes?: boolean;
}

/** The media interface that a peer uses. */
export interface PeerMedia extends Pick<MediaCluster, 'rtpCapabilities' | 'on'> {
  room: (
    roomId: string,
  ) => Pick<
    RoomOperations,
    'join' | 'connectTransport' | 'produce' | 'resumeConsumers' | 'setViews' | 'leave'
  >;
}

interface Received {
  consumer: Consumer;
  from: string;
  source: Source;
}

interface Inbound {
  packets: number;
  frames: number;
  height: number;
  bytes: number;
  lost: number;
}

const { RTCAudioSource, RTCVideoSource } = wrtc.nonstandard;

/** Ten milliseconds of a 400 Hz tone. They contain whole periods, so they can be repeated without clicks. */
const toneOf = (volume: number) =>
  Int16Array.from({ length: 480 }, (_, at) => Math.sin((at * 2 * Math.PI * 400) / 48_000) * 32_000 * volume);

type ReceiveOffers = (offers: MediaEvents['consumer'][], closed: string | null) => void;
const receivers = new WeakMap<PeerMedia, Map<string, ReceiveOffers>>();

/** All peers of a cluster share one listener per event. */
function receiversOf(cluster: PeerMedia): Map<string, ReceiveOffers> {
  const known = receivers.get(cluster);
  if (known) return known;
  const created = new Map<string, ReceiveOffers>();
  receivers.set(cluster, created);
  const find = (roomId: string, peerId: string) => created.get(`${roomId} ${peerId}`);
  cluster.on('consumer', (offer) => find(offer.roomId, offer.to.peerId)?.([offer], null));
  cluster.on('consumerClosed', ({ roomId, to, consumerId }) => find(roomId, to.peerId)?.([], consumerId));
  return created;
}

/**
 * A device without a browser that uses the media interface directly, with libwebrtc's transports, Opus and VP8. It accepts all
 * consumers it is offered, and counts what they receive.
 */
export class SyntheticPeer {
  readonly id: string;
  readonly #cluster: PeerMedia;
  readonly #roomId: string;
  /** Null for viewers. */
  readonly #sending: Transport | null;
  readonly #receiving: Transport;
  readonly #received = new Map<string, Received>();
  readonly #producers = new Map<Source, Producer>();
  readonly #unseen = new Set<Source>();
  #isTurned = false;
  readonly #timers: NodeJS.Timeout[] = [];
  #accepting: Promise<void> = Promise.resolve();
  #closed = false;

  static async join(
    cluster: PeerMedia,
    roomId: string,
    peerId: string,
    {
      identity = peerId,
      tag = { name: peerId },
      multiparty = true,
      isViewer = false,
      consumes = true,
      tellsArrival,
    }: JoinOptions = {},
  ): Promise<SyntheticPeer> {
    // removeBrowserGlobals.ts removes them at the end of each test file.
    Object.assign(globalThis, browserGlobals);
    const device = new Device({ handlerName: 'Chrome111' });
    await device.load({ routerRtpCapabilities: cluster.rtpCapabilities as never });
    const rtpCapabilities = device.recvRtpCapabilities as RtpCapabilities;
    const early: MediaEvents['consumer'][] = [];
    const receivers = receiversOf(cluster);
    receivers.set(`${roomId} ${peerId}`, (offers) => early.push(...offers));
    const joined = await cluster.room(roomId).join({
      peerId,
      identity,
      tag,
      rtpCapabilities,
      multiparty,
      isViewer,
    });
    const peer = new SyntheticPeer(cluster, roomId, peerId, {
      sending: joined.sendTransport && device.createSendTransport(joined.sendTransport as never),
      receiving: device.createRecvTransport(joined.recvTransport as never),
      tellsArrival,
    });
    receivers.set(`${roomId} ${peerId}`, (offers, closed) => {
      if (closed) peer.#drop(closed);
      if (consumes) peer.#accept(offers);
    });
    if (consumes) peer.#accept([...joined.consumers, ...early]);
    return peer;
  }

  private constructor(
    cluster: PeerMedia,
    roomId: string,
    id: string,
    {
      sending,
      receiving,
      tellsArrival,
    }: { sending: Transport | null; receiving: Transport; tellsArrival: boolean | undefined },
  ) {
    this.id = id;
    this.#cluster = cluster;
    this.#roomId = roomId;
    this.#sending = sending;
    this.#receiving = receiving;
    for (const transport of [sending, receiving].filter((each) => each !== null)) {
      transport.on('connect', ({ dtlsParameters }, done, failed) => {
        cluster
          .room(roomId)
          .connectTransport({
            peerId: id,
            transportId: transport.id,
            dtlsParameters: dtlsParameters,
          })
          .then(done, failed);
      });
    }
    sending?.on('produce', ({ rtpParameters, appData }, done, failed) => {
      const { source, size } = appData as { source: Source; size?: { width: number; height: number } };
      cluster
        .room(roomId)
        .produce({
          peerId: id,
          source,
          rtpParameters: rtpParameters as RtpParameters,
          paused: false,
          size,
          tellsArrival,
        })
        .then(({ producerId }) => done({ id: producerId }), failed);
    });
  }

  /** @param volume 0 to 1 */
  async speak(volume = 0.5): Promise<{ setVolume: (volume: number) => void; stop: () => void }> {
    const source = new RTCAudioSource();
    let samples = toneOf(volume);
    const timer = this.#every(10, () =>
      source.onData({
        samples,
        sampleRate: 48_000,
        bitsPerSample: 16,
        channelCount: 1,
        numberOfFrames: samples.length,
      }),
    );
    const track = source.createTrack();
    const appData = { source: 'microphone' };
    this.#producers.set('microphone', await this.#sender.produce({ track, appData, stopTracks: false }));
    return { setVolume: (to) => void (samples = toneOf(to)), stop: () => clearInterval(timer) };
  }

  /** Sends a moving video in layers. */
  async show({
    width = 320,
    height = 180,
    layers = 1,
    source: name = 'camera',
    tellsSize = true,
  }: Partial<Size> & { layers?: number; source?: Source; tellsSize?: boolean } = {}): Promise<Producer> {
    const source = new RTCVideoSource();
    const data = new Uint8Array(width * height * 1.5).fill(128);
    let frame = 0;
    this.#every(100, () => {
      if (this.#unseen.has(name)) return;
      // A bar that changes with each frame, so that there is something to encode.
      data.fill(16 + ((frame++ * 7) % 200), 0, width * Math.floor(height / 4));
      source.onFrame(this.#isTurned ? { width: height, height: width, data } : { width, height, data });
    });
    const track = source.createTrack();
    const encodings = Array.from({ length: layers }, (_, index) => ({
      scaleResolutionDownBy: 2 ** (layers - 1 - index),
      maxBitrate: 150_000 * 4 ** index,
    }));
    const appData = { source: name, ...(tellsSize ? { size: { width, height } } : {}) };
    const producer = await this.#sender.produce({ track, encodings, appData, stopTracks: false });
    this.#producers.set(name, producer);
    return producer;
  }

  /** Turns its videos from wide to upright, or back, as a phone does. */
  turn(): void {
    this.#isTurned = !this.#isTurned;
  }

  /** Pauses or resumes the frames of a video. */
  setViewed(source: Source, isSeen: boolean): void {
    if (isSeen) this.#unseen.delete(source);
    else this.#unseen.add(source);
  }

  /** Its current consumers. */
  get receives(): { id: string; from: string; source: Source }[] {
    return [...this.#received].map(([id, { from, source }]) => ({ id, from, source }));
  }

  consumerId(from: string, source: Source): string {
    const found = this.receives.find((entry) => entry.from === from && entry.source === source);
    if (!found) throw new Error(`${this.id} receives no ${source} from ${from}`);
    return found.id;
  }

  async view(...views: View[]): Promise<void> {
    await this.#cluster.room(this.#roomId).setViews({ peerId: this.id, views });
  }

  /** Counters of a source from another peer; null if there is no consumer of it. */
  async inbound(from: string, source: Source): Promise<Inbound | null> {
    const received = this.receives.find((entry) => entry.from === from && entry.source === source);
    return received ? this.inboundOf(received.id) : null;
  }

  /** Counters of one consumer; null if it does not exist or no longer exists. */
  async inboundOf(consumerId: string): Promise<Inbound | null> {
    const received = this.#received.get(consumerId);
    if (!received) return null;
    const ssrc = received.consumer.rtpParameters.encodings?.[0]?.ssrc;
    const stats = [...(await this.#receiving.getStats()).values()] as Record<string, number | string>[];
    const entry = stats.find(({ type, ssrc: found }) => type === 'inbound-rtp' && found === ssrc);
    const number = (name: string) => Number(entry?.[name] ?? 0);
    return {
      packets: number('packetsReceived'),
      frames: number('framesDecoded'),
      height: number('frameHeight'),
      bytes: number('bytesReceived'),
      lost: number('packetsLost'),
    };
  }

  /** The number of key-frame requests it has received. */
  async keyFrameRequests(): Promise<number> {
    const stats = [...(await this.#sender.getStats()).values()] as {
      type: string;
      pliCount?: number;
      firCount?: number;
    }[];
    const outbound = stats.filter(({ type }) => type === 'outbound-rtp');
    return outbound.reduce((sum, { pliCount = 0, firCount = 0 }) => sum + pliCount + firCount, 0);
  }

  /** The number of video packets it has sent. */
  async videoPacketsSent(): Promise<number> {
    const stats = [...((await this.#sending?.getStats())?.values() ?? [])] as Record<
      string,
      number | string
    >[];
    const videos = stats.filter(({ type, kind }) => type === 'outbound-rtp' && kind === 'video');
    return videos.reduce((sum, { packetsSent }) => sum + Number(packetsSent ?? 0), 0);
  }

  async leave(): Promise<void> {
    this.close();
    await this.#cluster.room(this.#roomId).leave({ peerId: this.id });
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const timer of this.#timers) clearInterval(timer);
    const close = () => {
      this.#sending?.close();
      this.#receiving.close();
    };
    // Closing a connection in the middle of a negotiation may crash the process.
    void this.#accepting.then(close, close);
  }

  get #sender(): Transport {
    if (!this.#sending) throw new Error(`${this.id} is a viewer and cannot send`);
    return this.#sending;
  }

  #every(periodMs: number, run: () => void): NodeJS.Timeout {
    const timer = setInterval(run, periodMs);
    this.#timers.push(timer);
    return timer;
  }

  #drop(consumerId: string): void {
    this.#received.get(consumerId)?.consumer.close();
    this.#received.delete(consumerId);
  }

  /** Accepts offers one after another, because a transport negotiates one change at a time. */
  #accept(offers: Pick<MediaEvents['consumer'], 'from' | 'consumer'>[]): void {
    if (offers.length === 0) return;
    this.#accepting = this.#accepting.then(async () => {
      if (this.#closed) return;
      await Promise.all(
        offers.map(async ({ from, consumer: { id, producerId, kind, rtpParameters, source } }) => {
          const consumer = await this.#receiving.consume({
            id,
            producerId,
            kind,
            rtpParameters: rtpParameters as never,
          });
          this.#received.set(id, { consumer, from: from.peerId, source });
        }),
      );
      const ids = offers.map(({ consumer }) => consumer.id);
      await this.#cluster.room(this.#roomId).resumeConsumers({ peerId: this.id, consumerIds: ids });
    });
    // The room may have closed. If it should not have, the test fails because media is missing.
    this.#accepting = this.#accepting.catch(() => undefined);
  }
}

/** Waits until each listener receives new audio packets from each speaker. */
export async function waitForAudio(listeners: SyntheticPeer[], speakers: string[]): Promise<void> {
  await Promise.all(
    listeners.flatMap((listener) =>
      speakers
        .filter((name) => name !== listener.id)
        .map(async (from) => {
          const packets = async () => (await listener.inbound(from, 'microphone'))?.packets ?? 0;
          const before = await packets();
          await until(
            async () => (await packets()) > before + 5,
            `${listener.id} receives audio from ${from}`,
          );
        }),
    ),
  );
}

/** Waits until a counter stops changing. */
export const waitUntilUnchanged = (read: () => Promise<number>, what: string): Promise<boolean> =>
  until(async () => {
    const before = await read();
    await delay(400);
    return (await read()) === before;
  }, what);
