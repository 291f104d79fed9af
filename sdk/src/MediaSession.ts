import { Device } from 'mediasoup-client';
import type {
  AppData,
  Consumer,
  Producer,
  Transport,
  RtpCapabilities as ClientRtpCapabilities,
  IceParameters as ClientIceParameters,
} from 'mediasoup-client/types';
import type { IceServers, Scope, Source, WireConsumer, WireTransport } from '../protocol/media.ts';
import type { EventOf, ResponseOf } from '../protocol/wire.ts';
import type { Connection } from './Connection.ts';
import { ParleyError } from '../protocol/errors.ts';
import { encodingOf } from './encodings.ts';
import { fromWire } from './fromWire.ts';
import type { MediaTrack, Participant, VideoCodec } from './types.ts';

interface Outgoing {
  source: Source;
  track: MediaStreamTrack;
  codec: VideoCodec;
  paused: boolean;
  producer: Producer | null;
}

interface Incoming {
  consumer: Consumer;
  shown: MediaTrack;
  /** Whether the app has it. */
  presented: boolean;
}

interface Room {
  scope: Scope;
  id: string;
}

interface Hooks {
  onTrack: (track: MediaTrack) => void;
  onTrackEnded: (track: MediaTrack) => void;
  onFailed: (error: Error) => void;
  /** The server no longer knows the transports. */
  onBroken: () => void;
}

/** Transports that are about to close, and what comes over them until then. */
interface Former {
  transports: Transport[];
  consumerIds: Set<string>;
}

const recoveryMs = 1_000;
/** What does not come at the room's new place within this is not waited for. */
const migrationMs = 5_000;
const checkFlowMs = 50;

let device: Promise<Device> | null = null;

/** The browser's abilities are asked for once, with the codecs the server offers in every room. */
export function prepareDevice(routerRtpCapabilities: unknown): Promise<Device> {
  device ??= (async () => {
    const created = await Device.factory();
    await created.load({ routerRtpCapabilities: routerRtpCapabilities as ClientRtpCapabilities });
    return created;
  })().catch((error: unknown) => {
    device = null;
    throw error;
  });
  return device;
}

/**
 * This device's media in one room: what it sends, what it receives. The only file that knows mediasoup-client.
 *
 * Closing: close() stops the capture of local tracks, closes the transports (which ends producers and consumers) and reports
 * every remote track as ended. rejoin() does the same but for the local tracks, which are published again.
 */
export class MediaSession {
  readonly room: Room;
  readonly localStream = new MediaStream();
  readonly #connection: Connection;
  readonly #hooks: Hooks;
  readonly #outgoing = new Map<Source, Outgoing>();
  /** Sources the user has switched off, published or not. */
  readonly #off = new Set<Source>();
  readonly #incoming = new Map<string, Incoming>();
  /** Consumers the server closed before this side got round to making them. */
  readonly #closedEarly = new Set<string>();
  #participantId = '';
  #participants = new Map<string, Participant>();
  #sending: Transport | null = null;
  #receiving: Transport | null = null;
  /** While the room moves: where packets still flow. */
  #former: Former | null = null;
  /** Joining, consuming and rejoining happen one after another. */
  #queue: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: { connection: Connection; room: Room; hooks: Hooks }) {
    this.#connection = options.connection;
    this.#hooks = options.hooks;
    this.room = options.room;
  }

  get participants(): Participant[] {
    return [...this.#participants.values()];
  }

  /** Enters the room and begins to receive. */
  join(rtpCapabilities: unknown): Promise<void> {
    return this.#enqueue(() => this.#join(rtpCapabilities));
  }

  /** Starts from nothing in the same room: after the connection was away, or the room's media was rebuilt. */
  rejoin(rtpCapabilities: unknown): Promise<void> {
    return this.#enqueue(async () => {
      this.#dropTransports();
      await this.#join(rtpCapabilities);
      await Promise.all([...this.#outgoing.values()].map((outgoing) => this.#produce(outgoing)));
    });
  }

  /** Joins the room at its new place and publishes there; the old transports close once all that came over them comes over the new ones. */
  async migrate(rtpCapabilities: unknown): Promise<void> {
    await this.#enqueue(async () => {
      this.#dropFormer();
      const transports = [this.#sending, this.#receiving].filter((transport) => transport !== null);
      const former = { transports, consumerIds: new Set(this.#incoming.keys()) };
      this.#former = former;
      await this.#join(rtpCapabilities);
      await Promise.all([...this.#outgoing.values()].map((outgoing) => this.#produce(outgoing)));
      setTimeout(() => this.#dropFormer(former), migrationMs);
    });
  }

  /**
   * Takes the place in the room up again on a new connection. Packets flow on meanwhile, or again after an ICE restart; what was
   * missed is made good. @throws ParleyError NOT_FOUND when the place is gone: rejoin
   */
  resume(): Promise<void> {
    return this.#enqueue(async () => {
      // A rejoin that broke off half way: there is nothing to take up.
      if (!this.#sending || !this.#receiving)
        throw new ParleyError('NOT_FOUND', 'This device has no transports: join anew.');
      const place = { ...this.room, participantId: this.#participantId };
      const { participants, iceServers, consumers } = await this.#connection.request('media.resume', place);
      this.#participants = new Map(participants.map((other) => [other.id, fromWire(other)]));
      const present = new Set(consumers.map(({ id }) => id));
      for (const id of [...this.#incoming.keys()])
        if (!present.has(id)) this.removeConsumer({ ...this.room, consumerId: id });
      for (const transport of [this.#sending, this.#receiving]) {
        await transport?.updateIceServers({ iceServers: iceServers as RTCIceServer[] });
        await this.#restartIce(transport);
      }
      await this.#consume(consumers);
      // What could not be published before the connection was lost.
      const unpublished = [...this.#outgoing.values()].filter(({ producer }) => !producer || producer.closed);
      await Promise.all(unpublished.map((outgoing) => this.#produce(outgoing)));
    });
  }

  /** Sends a track. A second one of the same source takes the first one's place without renegotiation. */
  async publish(source: Source, track: MediaStreamTrack, codec: VideoCodec = 'vp8'): Promise<void> {
    const existing = this.#outgoing.get(source);
    if (existing) return this.#replace(existing, track);
    const paused = this.#off.has(source);
    // The room was left while the device was being opened, or the camera is to be off.
    if (this.#closed || (paused && source === 'camera')) return track.stop();
    track.enabled = !paused;
    const outgoing: Outgoing = { source, track, codec, paused, producer: null };
    this.#outgoing.set(source, outgoing);
    this.localStream.addTrack(track);
    try {
      await this.#enqueue(() => this.#produce(outgoing));
    } catch (error) {
      this.#outgoing.delete(source);
      this.localStream.removeTrack(track);
      track.stop();
      throw error;
    }
  }

  /** Resolves when what is being done with the room's transports is done. */
  settled(): Promise<void> {
    return this.#queue;
  }

  /** Whether this source is being sent: false when it is paused or was never published. */
  isSending(source: Source): boolean {
    const outgoing = this.#outgoing.get(source);
    return outgoing !== undefined && !outgoing.paused;
  }

  hasPublished(source: Source): boolean {
    return this.#outgoing.has(source);
  }

  /** Puts another device's track in the place of the one that is sent. Where only one can be open, the old one closes first. */
  async switchDevice(source: Source, open: () => Promise<MediaStreamTrack>): Promise<void> {
    const outgoing = this.#outgoing.get(source);
    if (!outgoing) return;
    const track = await open().catch((error: unknown) => {
      if (!(error instanceof ParleyError && error.code === 'CONFLICT')) throw error;
      outgoing.track.stop();
      return open();
    });
    track.enabled = !outgoing.paused;
    await this.#replace(outgoing, track);
  }

  /**
   * Stops sending, here and at once; a camera is switched off. Resolves when what is being published has been: the request
   * that tells the server is the caller's, and finds a producer then.
   */
  async pause(source: Source): Promise<void> {
    this.#off.add(source);
    const outgoing = this.#outgoing.get(source);
    if (!outgoing) return;
    outgoing.paused = true;
    outgoing.producer?.pause();
    if (source === 'camera') outgoing.track.stop();
    else outgoing.track.enabled = false;
    await this.#queue;
  }

  unpause(source: Source): void {
    this.#off.delete(source);
    const outgoing = this.#outgoing.get(source);
    if (!outgoing) return;
    outgoing.paused = false;
    outgoing.track.enabled = true;
    outgoing.producer?.resume();
  }

  /** WebRTC statistics of both directions, as RTCPeerConnection.getStats gives them. */
  async stats(): Promise<{ sending: RTCStats[]; receiving: RTCStats[] }> {
    const read = async (transport: Transport | null) =>
      transport ? [...(await transport.getStats()).values()].map((entry) => entry as RTCStats) : [];
    return { sending: await read(this.#sending), receiving: await read(this.#receiving) };
  }

  updateParticipant(participant: Participant): void {
    // Back after a reload, it is another participant; the one it was has left.
    for (const [id, { walletAddress }] of this.#participants) {
      if (walletAddress === participant.walletAddress) this.#participants.delete(id);
    }
    this.#participants.set(participant.id, participant);
  }

  /** The server made a consumer for what somebody began to send. */
  addConsumer(message: EventOf<'media:consumer'>): void {
    // Now, not when its turn comes: later news of the participant must not be overwritten by this.
    this.updateParticipant(fromWire(message.consumer.participant));
    void this.#enqueue(() => this.#consume([message.consumer])).catch(this.#hooks.onFailed);
  }

  removeConsumer({ consumerId }: EventOf<'media:consumer:closed'>): void {
    const incoming = this.#incoming.get(consumerId);
    if (!incoming) {
      this.#closedEarly.add(consumerId);
      return;
    }
    this.#incoming.delete(consumerId);
    incoming.consumer.close();
    if (incoming.presented) this.#hooks.onTrackEnded(incoming.shown);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const { track } of this.#outgoing.values()) track.stop();
    this.#outgoing.clear();
    this.#dropTransports();
  }

  async #join(rtpCapabilities: unknown): Promise<void> {
    const device = await prepareDevice(rtpCapabilities);
    const joined = await this.#connection.request('media.join', {
      ...this.room,
      rtpCapabilities: device.recvRtpCapabilities as never,
    });
    if (this.#closed) return;
    this.#participantId = joined.participant.id;
    this.#participants = new Map(joined.participants.map((other) => [other.id, fromWire(other)]));
    this.#createTransports(device, joined);
    await this.#consume(joined.consumers);
  }

  #device(): Promise<Device> {
    if (!device) throw new Error('a room is joined before anything is sent into it');
    return device;
  }

  #createTransports(device: Device, joined: ResponseOf<'media.join'>): void {
    this.#sending = device.createSendTransport(toClient(joined.sendTransport, joined.iceServers));
    this.#receiving = device.createRecvTransport(toClient(joined.recvTransport, joined.iceServers));
    for (const transport of [this.#sending, this.#receiving]) {
      this.#watchTransport(transport);
      transport.on('connect', ({ dtlsParameters }, done, failed) => {
        this.#connection
          .request('media.connectTransport', {
            ...this.room,
            transportId: transport.id,
            dtlsParameters: dtlsParameters,
          })
          .then(done, failed);
      });
    }
    this.#sending.on('produce', ({ rtpParameters, appData }, done, failed) => {
      const { source, paused } = appData as unknown as Outgoing;
      this.#connection
        .request('media.produce', { ...this.room, source, paused, rtpParameters: rtpParameters as never })
        .then(({ producerId }) => done({ id: producerId }), failed);
    });
  }

  /** Finds another way to the server: the network changed, or the old way is broken. */
  async #restartIce(transport: Transport | null): Promise<void> {
    if (!transport || transport.closed || transport.connectionState === 'new') return;
    const { iceParameters } = await this.#connection.request('media.restartIce', {
      ...this.room,
      transportId: transport.id,
    });
    await transport.restartIce({ iceParameters: iceParameters as ClientIceParameters });
  }

  /** A way that broke while the connection holds: a moment to recover by itself, then another way, then all anew. */
  #watchTransport(transport: Transport): void {
    transport.on('connectionstatechange', (state) => {
      if (state !== 'disconnected' && state !== 'failed') return;
      if (this.#former?.transports.includes(transport)) return;
      setTimeout(
        () => {
          if (transport.closed || transport.connectionState === 'connected') return;
          void this.#enqueue(() => this.#restartIce(transport)).catch(() => this.#hooks.onBroken());
        },
        state === 'failed' ? 0 : recoveryMs,
      );
    });
  }

  async #produce(outgoing: Outgoing): Promise<void> {
    if (this.#closed || !this.#sending) return;
    const { source, track, paused } = outgoing;
    if (track.readyState === 'ended') {
      // A camera that is off has no track to send; turning it on publishes one.
      this.#outgoing.delete(source);
      this.localStream.removeTrack(track);
      return;
    }
    const appData: AppData = { source, paused };
    // The application owns its tracks: it gets them back when a transport closes under them.
    outgoing.producer = await this.#sending.produce({
      track,
      appData,
      stopTracks: false,
      ...encodingOf(outgoing, await this.#device()),
    });
    if (outgoing.paused) outgoing.producer.pause();
  }

  async #replace(outgoing: Outgoing, track: MediaStreamTrack): Promise<void> {
    if (this.#closed) return track.stop();
    this.localStream.removeTrack(outgoing.track);
    outgoing.track.stop();
    outgoing.track = track;
    this.localStream.addTrack(track);
    await outgoing.producer?.replaceTrack({ track });
  }

  async #consume(consumers: WireConsumer[]): Promise<void> {
    const fresh = consumers.filter(({ id }) => !this.#incoming.has(id) && !this.#closedEarly.delete(id));
    const receiving = this.#receiving;
    if (this.#closed || !receiving || fresh.length === 0) return;
    await Promise.all(fresh.map((wire) => this.#show(receiving, wire)));
    await this.#connection.request('media.resumeConsumers', {
      ...this.room,
      consumerIds: fresh.map(({ id }) => id),
    });
  }

  async #show(receiving: Transport, wire: WireConsumer): Promise<void> {
    const { id, producerId, kind, source, participant } = wire;
    // What has one stream id is played in step: camera with microphone, screen with its sound.
    const isScreen = source.startsWith('screen');
    const streamId = `${participant.id}-${isScreen ? 'screen' : 'camera'}`;
    const consumer = await receiving.consume({
      id,
      producerId,
      kind,
      rtpParameters: wire.rtpParameters as never,
      streamId,
    });
    const known = this.#participants.get(participant.id) ?? fromWire(participant);
    const stream = this.#streamOf(known, isScreen);
    const shown: MediaTrack = { ...this.room, participant: known, source, track: consumer.track, stream };
    this.#incoming.set(id, { consumer, shown, presented: false });
    // While the room moves, the picture that is there stays until the next one comes.
    if (this.#former) void this.#flows(consumer).then(() => this.#present(id));
    else this.#present(id);
  }

  /** Resolves when something can be seen or heard of it; or when the room's former place is given up, and it is shown all the same. */
  async #flows(consumer: Consumer): Promise<void> {
    for (const former = this.#former; this.#former === former && !consumer.closed;) {
      const stats = [...(await consumer.getStats()).values()] as {
        type: string;
        framesDecoded?: number;
        packetsReceived?: number;
      }[];
      const inbound = stats.find(({ type }) => type === 'inbound-rtp');
      if (consumer.kind === 'video' ? inbound?.framesDecoded : inbound?.packetsReceived) return;
      await new Promise((resolve) => setTimeout(resolve, checkFlowMs));
    }
  }

  #present(id: string): void {
    const incoming = this.#incoming.get(id);
    if (!incoming || incoming.presented) return;
    incoming.presented = true;
    const { stream, track } = incoming.shown;
    for (const other of stream.getTracks()) if (other.kind === track.kind) stream.removeTrack(other);
    stream.addTrack(track);
    this.#hooks.onTrack(incoming.shown);
    if (this.#former && this.#isAsGoodAs(this.#former)) this.#dropFormer();
  }

  /** Whether everything that comes over the former transports comes over the present ones too. */
  #isAsGoodAs({ consumerIds }: Former): boolean {
    const what = ({ shown }: Incoming) => `${shown.participant.walletAddress} ${shown.source}`;
    const entries = [...this.#incoming];
    const present = new Set(
      entries
        .filter(([id, { presented }]) => presented && !consumerIds.has(id))
        .map(([, entry]) => what(entry)),
    );
    return entries.every(([id, entry]) => !consumerIds.has(id) || present.has(what(entry)));
  }

  #dropFormer(former = this.#former): void {
    if (!former || former !== this.#former) return;
    this.#former = null;
    for (const transport of former.transports) transport.close();
    for (const consumerId of former.consumerIds) {
      if (this.#incoming.has(consumerId)) this.removeConsumer({ ...this.room, consumerId });
    }
    // What has not begun to flow yet is shown all the same.
    for (const id of [...this.#incoming.keys()]) this.#present(id);
  }

  /** What the app plays, by wallet and whether it is a screen: the same object when the wallet's tracks are others. */
  readonly #streams = new Map<string, MediaStream>();

  #streamOf({ walletAddress }: Participant, isScreen: boolean): MediaStream {
    const key = `${walletAddress} ${isScreen ? 'screen' : 'camera'}`;
    const stream = this.#streams.get(key) ?? new MediaStream();
    this.#streams.set(key, stream);
    return stream;
  }

  #dropTransports(): void {
    this.#dropFormer();
    this.#sending?.close();
    this.#receiving?.close();
    this.#sending = this.#receiving = null;
    for (const outgoing of this.#outgoing.values()) outgoing.producer = null;
    const shown = [...this.#incoming.values()]
      .filter(({ presented }) => presented)
      .map((incoming) => incoming.shown);
    this.#incoming.clear();
    this.#closedEarly.clear();
    for (const track of shown) this.#hooks.onTrackEnded(track);
  }

  #enqueue(task: () => Promise<void>): Promise<void> {
    const run = this.#queue.then(task);
    this.#queue = run.catch(() => undefined);
    return run;
  }
}

const toClient = (transport: WireTransport, iceServers: IceServers) =>
  ({ ...transport, iceServers }) as never;
