import type {
  AppData,
  Producer,
  Transport,
  IceParameters as ClientIceParameters,
} from 'mediasoup-client/types';
import type { Scope, Source, WireConsumer, WireView } from '../../protocol/media.ts';
import type { EventOf } from '../../protocol/wire.ts';
import type { Connection } from '../connection/Connection.ts';
import { ParleyError } from '../../protocol/errors.ts';
import type { MediaDevice } from './device.ts';
import { encodingOf } from './encodings.ts';
import { fromWire } from '../connection/fromWire.ts';
import { Incoming, isScreen } from './Incoming.ts';
import { MediaMembership } from './MediaMembership.ts';
import type { Quality } from './qualities.ts';
import { both, createTransports } from './transports.ts';
import type { MediaTrack, Participant, VideoCodec } from '../types.ts';

interface Outgoing {
  source: Source;
  track: MediaStreamTrack;
  codec: VideoCodec;
  paused: boolean;
  producer: Producer | null;
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
  /** This device has its place on the present connection, after it was away. */
  onTakenUp: () => void;
}

const recoveryMs = 1_000;
/**
 * After a move this device goes on sending to the room's former place for so long. The others take its picture at the new place when a key
 * frame has come there, which servers ask for once a second.
 */
const overlapMs = 2_000;
/** The server takes so many at a time. */
const batch = 200;

/**
 * This device's media in one room: what it sends, what it receives. With its parts (Incoming, transports, device, encodings) it
 * alone knows mediasoup-client.
 *
 * Closing: close() stops the capture of local tracks, closes the transports (which ends producers and consumers) and reports
 * every remote track as ended. rejoin() does the same but for the local tracks, which are published again.
 */
export class MediaSession {
  readonly room: Room;
  /** Camera and microphone. */
  readonly localStream = new MediaStream();
  /** What is shared of the screen, and its sound. */
  readonly localScreen = new MediaStream();
  readonly #connection: Connection;
  readonly #device: MediaDevice;
  readonly #hooks: Hooks;
  readonly #quality: Quality | undefined;
  readonly #outgoing = new Map<Source, Outgoing>();
  /** Sources the user has switched off, published or not. */
  readonly #off = new Set<Source>();
  readonly #incoming: Incoming;
  #participantId = '';
  readonly #place: MediaMembership;
  #participants = new Map<string, Participant>();
  #sending: Transport | null = null;
  #receiving: Transport | null = null;
  /** Sends to where the room was before it moved. */
  #formerSending: Transport | null = null;
  /** Joining, consuming and rejoining happen one after another. */
  #queue: Promise<void> = Promise.resolve();
  #closed = false;

  /** @param options.quality of the camera, in a stream */
  constructor(options: {
    connection: Connection;
    device: MediaDevice;
    room: Room;
    hooks: Hooks;
    quality?: Quality | undefined;
  }) {
    this.#device = options.device;
    this.#quality = options.quality;
    this.#connection = options.connection;
    this.#hooks = options.hooks;
    this.#place = new MediaMembership(options.connection);
    this.room = options.room;
    this.#incoming = new Incoming(options.room, options.hooks);
  }

  get participants(): Participant[] {
    return [...this.#participants.values()];
  }

  get receivingState(): RTCPeerConnectionState {
    return this.#receiving?.connectionState ?? 'new';
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

  /**
   * Joins the room at its new place and publishes there. What it received at the former place ends when all of it comes at the new one; what
   * it sends there ends a moment later, because the others may need it still.
   */
  async migrate(rtpCapabilities: unknown): Promise<void> {
    await this.#enqueue(async () => {
      const [sending, receiving] = [this.#sending, this.#receiving];
      if (receiving) this.#incoming.beginMove(receiving);
      this.#endOverlap();
      this.#formerSending = sending;
      await this.#join(rtpCapabilities);
      await Promise.all([...this.#outgoing.values()].map((outgoing) => this.#produce(outgoing)));
      setTimeout(() => sending?.close(), overlapMs);
    });
  }

  /**
   * Takes the place in the room up again on a new connection. Packets flow on meanwhile, or again after an ICE restart; what was
   * missed is made good. @throws ParleyError NOT_FOUND when the place is gone: rejoin
   */
  resume(): Promise<void> {
    return this.#enqueue(async () => {
      // A rejoin that broke off half way: there is nothing to take up.
      if (!this.#receiving) throw new ParleyError('NOT_FOUND', 'This device has no transports: join anew.');
      const wasAway = !this.#place.isTaken;
      const all = [...this.#outgoing.values()];
      const sending = all.filter(isProduced).map(({ source, paused }) => ({ source, paused }));
      const { participants, iceServers, consumers, layers } = await this.#connection.request('media.resume', {
        ...this.room,
        participantId: this.#participantId,
        sending,
      });
      this.#place.take();
      this.#participants = new Map(participants.map((other) => [other.id, fromWire(other)]));
      this.#incoming.keepOnly(new Set(consumers.map(({ id }) => id)));
      for (const transport of wasAway ? this.#transports : []) {
        await transport.updateIceServers({ iceServers: iceServers as RTCIceServer[] });
        await this.#restartIce(transport);
      }
      for (const wanted of layers) await this.#limitLayers(wanted);
      await this.#consume(consumers);
      // What could not be published before the connection was lost.
      const unpublished = [...this.#outgoing.values()].filter((outgoing) => !isProduced(outgoing));
      await Promise.all(unpublished.map((outgoing) => this.#produce(outgoing)));
      this.#hooks.onTakenUp();
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
    this.#localOf(source).addTrack(track);
    try {
      // Where the place is still to be taken up, it is published with that.
      await this.#enqueue(() => (this.#place.isTaken ? this.#produce(outgoing) : Promise.resolve()));
      await this.settled();
    } catch (error) {
      this.#forget(outgoing);
      throw error;
    }
  }

  /** Stops sending for good; a source that is published again is another. */
  async unpublish(source: Source): Promise<void> {
    const outgoing = this.#outgoing.get(source);
    if (!outgoing) return;
    this.#forget(outgoing);
    await this.#enqueue(async () => {
      if (!isProduced(outgoing)) return;
      outgoing.producer?.close();
      // Where the place is still to be taken up, the server hears with that what is sent.
      if (this.#place.isTaken)
        await this.#connection.request('media.closeProducer', { ...this.room, source });
    });
  }

  /** Nobody looks at more than this layer of it, or at any (-1): the others are not sent. */
  limitLayers(wanted: EventOf<'media:layers'>): void {
    void this.#enqueue(() => this.#limitLayers(wanted)).catch(this.#hooks.onFailed);
  }

  /** What the app has of others, by the id of its consumer. */
  get shown(): Map<string, MediaTrack> {
    return this.#incoming.shown;
  }

  /** Tells the server what the app shows. */
  async view(views: WireView[]): Promise<void> {
    await this.#place.taken();
    for (let at = 0; at < views.length; at += batch) {
      await this.#connection.request('media.view', { ...this.room, views: views.slice(at, at + batch) });
    }
  }

  /** Resolves when this device has its place on the present connection, and what is being done with the room's transports is done. */
  async settled(): Promise<void> {
    await this.#place.taken();
    await this.#queue;
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
   * Stops sending, here and at once; a camera is switched off. Resolves as settled() does: the request that tells the server is the
   * caller's, and finds a producer then.
   */
  async pause(source: Source): Promise<void> {
    this.#off.add(source);
    const outgoing = this.#outgoing.get(source);
    if (!outgoing) return;
    outgoing.paused = true;
    outgoing.producer?.pause();
    if (source === 'camera') outgoing.track.stop();
    else outgoing.track.enabled = false;
    await this.settled();
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
    this.#incoming.remove(consumerId);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const { track } of this.#outgoing.values()) track.stop();
    this.#outgoing.clear();
    this.#dropTransports();
    this.#place.giveUp();
  }

  async #limitLayers({ source, layer }: Pick<EventOf<'media:layers'>, 'source' | 'layer'>): Promise<void> {
    const producer = this.#outgoing.get(source)?.producer;
    if (!producer || producer.closed) return;
    // One encoding is sent or is not, whatever layers it has inside.
    const highest = Math.max(0, (producer.rtpParameters.encodings?.length ?? 1) - 1);
    await producer.setMaxSpatialLayer(Math.min(layer, highest));
  }

  async #join(rtpCapabilities: unknown): Promise<void> {
    const device = await this.#device.prepare(rtpCapabilities);
    const joined = await this.#connection.request('media.join', {
      ...this.room,
      rtpCapabilities: device.recvRtpCapabilities as never,
    });
    if (this.#closed) return;
    this.#participantId = joined.peerId;
    this.#place.take();
    this.#participants = new Map(joined.participants.map((other) => [other.id, fromWire(other)]));
    const { sending, receiving } = createTransports(device, joined, this.#connection, this.room);
    this.#sending = sending;
    this.#receiving = receiving;
    for (const transport of this.#transports) this.#watchTransport(transport);
    await this.#consume(joined.consumers);
  }

  /** Finds another way to the server: the network changed, or the old way is broken. */
  async #restartIce(transport: Transport): Promise<void> {
    if (transport.closed || transport.connectionState === 'new') return;
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
      if (transport !== this.#sending && transport !== this.#receiving) return;
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
    if (this.#outgoing.get(source) !== outgoing) return;
    if (track.readyState === 'ended') {
      // A camera that is off has no track to send; turning it on publishes one.
      this.#forget(outgoing);
      return;
    }
    const { width, height } = track.getSettings();
    const appData: AppData = { source, paused, size: width && height ? { width, height } : undefined };
    // The application owns its tracks: it gets them back when a transport closes under them.
    outgoing.producer = await this.#sending.produce({
      track,
      appData,
      stopTracks: false,
      ...encodingOf(
        { ...outgoing, scope: this.room.scope, quality: this.#quality },
        await this.#device.prepared(),
      ),
    });
    if (outgoing.paused) outgoing.producer.pause();
  }

  async #replace(outgoing: Outgoing, track: MediaStreamTrack): Promise<void> {
    if (this.#closed) return track.stop();
    const local = this.#localOf(outgoing.source);
    local.removeTrack(outgoing.track);
    outgoing.track.stop();
    outgoing.track = track;
    local.addTrack(track);
    await outgoing.producer?.replaceTrack({ track });
  }

  #forget({ source, track }: Outgoing): void {
    this.#outgoing.delete(source);
    this.#localOf(source).removeTrack(track);
    track.stop();
  }

  #localOf(source: Source): MediaStream {
    return isScreen(source) ? this.localScreen : this.localStream;
  }

  async #consume(consumers: WireConsumer[]): Promise<void> {
    const fresh = this.#incoming.fresh(consumers);
    const receiving = this.#receiving;
    if (this.#closed || !receiving) return;
    await Promise.all(
      fresh.map((wire) => this.#incoming.add(receiving, wire, this.#participants.get(wire.participant.id))),
    );
    for (let at = 0; at < fresh.length; at += batch) {
      const consumerIds = fresh.slice(at, at + batch).map(({ id }) => id);
      await this.#connection.request('media.resumeConsumers', { ...this.room, consumerIds });
    }
  }

  get #transports(): Transport[] {
    return both({ sending: this.#sending, receiving: this.#receiving });
  }

  #endOverlap(): void {
    this.#formerSending?.close();
    this.#formerSending = null;
  }

  #dropTransports(): void {
    this.#endOverlap();
    for (const transport of this.#transports) transport.close();
    this.#sending = this.#receiving = null;
    for (const outgoing of this.#outgoing.values()) outgoing.producer = null;
    this.#incoming.clear();
  }

  #enqueue(task: () => Promise<void>): Promise<void> {
    const run = this.#queue.then(task);
    this.#queue = run.catch(() => undefined);
    return run;
  }
}

const isProduced = ({ producer }: Outgoing) => producer !== null && !producer.closed;
