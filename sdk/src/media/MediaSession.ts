import { pathIn, type MediaStats } from './mediaPath.ts';
import type { Transport } from 'mediasoup-client/types';
import type { JoinedMedia, Source, WireConsumer, WireView } from '../../protocol/media.ts';
import type { EventOf } from '../../protocol/wire.ts';
import type { Connection } from '../connection/Connection.ts';
import { ParleyError } from '../../protocol/errors.ts';
import type { MediaDevice } from './device.ts';
import { fromWire } from '../connection/fromWire.ts';
import { isWorthRepeating, pause } from '../connection/transient.ts';
import { Incoming, isScreen, type IncomingHooks } from './Incoming.ts';
import type { LocalTrack } from './LocalTrack.ts';
import { isProduced, Outgoing, type OutgoingSource } from './Outgoing.ts';
import type { Quality } from './qualities.ts';
import { both, createTransports, restartIce, whenBroken, type Room } from './transports.ts';
import { orAborted } from '../platform/abort.ts';
import { allEnded, settled } from '../platform/settled.ts';
import type { MediaTrack, Participant, VideoCodec } from '../types.ts';

interface Hooks extends IncomingHooks {
  onFailed: (error: Error) => void;
  /** Called when a transport is broken and ICE could not be restarted, for example because the server no longer has the transport. */
  onBroken: () => void;
  /** Called when the session was resumed on a new connection. */
  onResumed: () => void;
  /** Resolves when the server recognises this connection as the device of the room's membership, or when there is no connection. */
  claimed: () => Promise<void>;
}

/** A track with its effects, ready to be sent. */
export interface PreparedTrack {
  source: Source;
  local: LocalTrack;
}

/**
 * How long this device keeps sending to a room's old node after the room has moved, or to a call that has become a room. The other devices
 * switch at a key frame, which servers request once a second.
 */
const overlapMs = 2_000;
/** The maximum number of items in one request to the server. */
const batchSize = 200;

/**
 * This device's media in one room: the tracks it sends and receives. Only this class and its parts (Incoming, Outgoing, transports, device,
 * encodings) use mediasoup-client.
 *
 * close() stops the capture of local tracks, closes the transports (which ends producers and consumers) and reports every remote track as
 * ended. rejoin() does the same except for the local tracks, which are published again.
 */
export class MediaSession {
  readonly room: Room;
  /** The sources that this device sends. publish() and unpublish() also involve the server. */
  readonly outgoing: Outgoing;
  /** The session to which this one was handed over, and which sends camera and microphone from then on. */
  successor: MediaSession | null = null;
  readonly #connection: Connection;
  readonly #device: MediaDevice;
  readonly #hooks: Hooks;
  readonly #incoming: Incoming;
  #participantId = '';
  /** The id of the connection on which the media was joined or resumed. */
  #joinedOn: string | null = null;
  #participants = new Map<string, Participant>();
  #sending: Transport | null = null;
  #receiving: Transport | null = null;
  /** The requests that connect the current transports. */
  #connecting: Promise<unknown> = Promise.resolve();
  /** Sends to the old node of a room that has moved. */
  #formerSending: Transport | null = null;
  /** Joining, publishing and rejoining happen one after another. */
  #queue: Promise<void> = Promise.resolve();
  /** Joining or resuming that is in progress. */
  #entered: Promise<unknown> = Promise.resolve();
  /** The consumers of which the server does not know yet that this device is ready for their packets. */
  readonly #unready = new Set<string>();
  /** The consumers that are being added. */
  #consuming: Promise<unknown> = Promise.resolve();
  /** Aborts when this session is closed or handed over. */
  readonly #end = new AbortController();

  /**
   * @param options.quality the quality of the camera, in a stream
   * @param options.outgoing what a session that was handed over has sent, and this one goes on to send
   */
  constructor(options: {
    connection: Connection;
    device: MediaDevice;
    room: Room;
    hooks: Hooks;
    quality?: Quality | undefined;
    outgoing?: Outgoing | undefined;
  }) {
    const { connection, device, room, hooks, quality, outgoing } = options;
    this.#device = device;
    this.#connection = connection;
    this.#hooks = hooks;
    this.room = room;
    this.#incoming = new Incoming(room, hooks);
    this.outgoing = outgoing ?? new Outgoing({ device, scope: room.scope, quality });
  }

  /** Whether this session was closed or handed over. */
  get #closed(): boolean {
    return this.#end.signal.aborted;
  }

  /** The id of this participant, as events name it. */
  get participantId(): string {
    return this.#participantId;
  }

  get participants(): Participant[] {
    return [...this.#participants.values()];
  }

  get receivingState(): RTCPeerConnectionState {
    return this.#receiving?.connectionState ?? 'new';
  }

  /** Whether this device may send. False for viewers, and before it has joined. */
  get canSend(): boolean {
    return this.#sending !== null;
  }

  /** The remote tracks the app has, by consumer id. */
  get presented(): Map<string, MediaTrack> {
    return this.#incoming.presented;
  }

  /**
   * Joins the room's media, starts receiving, and publishes what a former session has sent.
   * @param joined the media that this device has joined already, when it entered the room on the current connection
   */
  join(joined?: JoinedMedia): Promise<void> {
    const joinedOn = this.#connection.id;
    return this.#enqueue(async () => {
      const given = joined && { answer: joined, joinedOn };
      await this.#start(await this.#entering(() => this.#join(given)), isMissing);
    });
  }

  /** Joins the same room again, with new transports: after a lost connection, or when the server has created the room's media again. */
  rejoin(): Promise<void> {
    return this.#enqueue(async () => {
      const consumers = await this.#entering(() => {
        this.#dropTransports();
        return this.#join();
      });
      await this.#start(consumers);
    });
  }

  /**
   * Joins the room on its new node and publishes there. Tracks from the old node end once all have a replacement from the new one. This
   * device keeps sending to the old node for a moment, because other devices may still receive from that node.
   */
  async migrate(): Promise<void> {
    await this.#enqueue(async () => {
      const sending = this.#sending;
      const consumers = await this.#entering(() => {
        if (this.#receiving) this.#incoming.beginMove(this.#receiving);
        this.#endOverlap();
        this.#formerSending = sending;
        return this.#join();
      });
      await this.#start(consumers);
      setTimeout(() => sending?.close(), overlapMs);
    });
  }

  /**
   * Resumes the media on a new connection, and catches up on missed changes. The transports are kept, so packets keep
   * flowing, or flow again after an ICE restart.
   * @throws ParleyError NOT_FOUND if the membership no longer exists: call rejoin()
   */
  resume(): Promise<void> {
    return this.#enqueue(async () => {
      // With the sources that could not be published before the connection was lost.
      await this.#start(await this.#entering(() => this.#resume()), isMissing);
      this.#hooks.onResumed();
    });
  }

  /** Sends tracks, all at the same time. A second track of the same source replaces the first without renegotiation. */
  async publish(tracks: PreparedTrack[], codec: VideoCodec = 'vp8'): Promise<void> {
    if (this.successor) {
      // This device was moved while it opened them. A screen is not meant for the other room.
      for (const { source, local } of tracks) if (isScreen(source)) local.stop();
      return this.successor.publish(
        tracks.filter(({ source }) => !isScreen(source)),
        codec,
      );
    }
    const added: OutgoingSource[] = [];
    const replaced = tracks.map(({ source, local }) => {
      const existing = this.outgoing.get(source);
      if (existing) return this.outgoing.replace(existing, local);
      const outgoing = this.outgoing.add(source, local, codec);
      if (outgoing) added.push(outgoing);
      return undefined;
    });
    await Promise.all([...replaced, this.#publishAdded(added)]);
  }

  async #publishAdded(added: OutgoingSource[]): Promise<void> {
    if (added.length === 0) return;
    try {
      await this.#enqueue(async () => {
        // If the media has not resumed yet, resume() publishes the sources. If it resumed or was joined again just now, that has published them.
        if (this.#isJoined) await allEnded(this.#produce(added.filter(isMissing)));
      });
      await this.settled();
    } catch (error) {
      for (const outgoing of added) this.outgoing.remove(outgoing);
      throw error;
    }
  }

  /** Stops sending a source permanently. Publishing it again creates a new producer. */
  async unpublish(source: Source): Promise<void> {
    const outgoing = this.outgoing.get(source);
    if (!outgoing) return;
    this.outgoing.remove(outgoing);
    await this.#enqueue(async () => {
      if (!isProduced(outgoing)) return;
      outgoing.producer?.close();
      // If the media has not resumed yet, resume() reports the sources that are sent.
      if (!this.#isJoined) return;
      const closed = { ...this.room, source };
      await this.#connection.requestUntilTaken('media.closeProducer', closed, () => !this.#closed);
    });
  }

  /** Stops sending the layers of a video that no subscriber needs. */
  limitLayers(demand: EventOf<'media:layers'>): void {
    void this.#enqueue(() => this.outgoing.limitLayers(demand)).catch(this.#hooks.onFailed);
  }

  /** Reports to the server which videos the app shows, and at what size. */
  async view(views: WireView[]): Promise<void> {
    await this.#hooks.claimed();
    for (let at = 0; at < views.length; at += batchSize) {
      const some = views.slice(at, at + batchSize);
      await this.#connection.request('media.view', { ...this.room, views: some });
    }
  }

  /** Resolves when the membership is claimed on the current connection, and all queued work on the transports is done. */
  async settled(): Promise<void> {
    await this.#hooks.claimed();
    await this.#queue;
  }

  /** WebRTC statistics of both directions, as RTCPeerConnection.getStats() returns them. */
  async stats(): Promise<MediaStats> {
    const read = async (transport: Transport | null) =>
      transport ? [...(await transport.getStats()).values()].map((entry) => entry as RTCStats) : [];
    const [sending, receiving] = [await read(this.#sending), await read(this.#receiving)];
    return { sending, receiving, path: pathIn(sending) ?? pathIn(receiving) };
  }

  updateParticipant(participant: Participant): void {
    // A wallet that returns after a reload is a new participant, which replaces the old one.
    for (const [id, { walletAddress }] of this.#participants) {
      if (walletAddress === participant.walletAddress) this.#participants.delete(id);
    }
    this.#participants.set(participant.id, participant);
  }

  /** Handles `media:consumer`: the server has created a consumer for a participant's new source. */
  addConsumer(message: EventOf<'media:consumer'>): void {
    // Updated immediately and not in the queue, where it might overwrite a later update of the participant.
    this.updateParticipant(fromWire(message.consumer.participant));
    void this.#receive([message.consumer]).catch(this.#hooks.onFailed);
  }

  removeConsumer({ consumerId }: EventOf<'media:consumer:closed'>): void {
    this.#incoming.remove(consumerId);
  }

  /**
   * Ends this session without stopping the local tracks. The other party of a call gets them until it is in the room that the call becomes.
   * @returns what it has sent, for another session
   */
  handOver(): Outgoing {
    this.#end.abort();
    if (this.room.scope === 'call') {
      const sending = this.#sending;
      this.#sending = null;
      setTimeout(() => sending?.close(), overlapMs);
    }
    this.#dropTransports();
    return this.outgoing;
  }

  close(): void {
    if (this.#closed) return;
    this.#end.abort();
    this.outgoing.close();
    this.#dropTransports();
  }

  /** Creates the transports. @returns the consumers to start with */
  async #join(given?: { answer: JoinedMedia; joinedOn: string | null }): Promise<WireConsumer[]> {
    const { rtpCapabilities } = await this.#connection.welcome();
    const device = await this.#device.prepare(rtpCapabilities);
    const joined =
      given?.answer ??
      (await this.#connection.request('media.join', {
        ...this.room,
        rtpCapabilities: device.recvRtpCapabilities as never,
      }));
    if (this.#closed) return [];
    this.#participantId = joined.peerId;
    this.#joinedOn = given ? given.joinedOn : this.#connection.id;
    this.#participants = new Map(joined.participants.map((other) => [other.id, fromWire(other)]));
    this.#connecting = Promise.resolve();
    const onConnecting = (request: Promise<unknown>) => {
      this.#connecting = Promise.all([this.#connecting, request]);
      // Reported by what is sent or received over the transport.
      this.#connecting.catch(() => undefined);
    };
    const [connection, room] = [this.#connection, this.room];
    const { sending, receiving } = createTransports({ device, joined, connection, room, onConnecting });
    this.#sending = sending;
    this.#receiving = receiving;
    for (const transport of this.#transports)
      whenBroken(transport, () => {
        if (!this.#transports.includes(transport)) return;
        const restarting = this.#enqueue(() => restartIce(transport, this.#connection, this.room));
        restarting.catch(() => this.#hooks.onBroken());
      });
    return joined.consumers;
  }

  /** Catches up with the server. @returns the consumers to continue with */
  async #resume(): Promise<WireConsumer[]> {
    // An earlier rejoin failed halfway, so there are no transports to resume.
    if (!this.#receiving) throw new ParleyError('NOT_FOUND', 'This device has no transports. Join again.');
    const wasAway = !this.#isJoined;
    const sending = this.outgoing.all.filter(isProduced).map(({ source, paused }) => ({ source, paused }));
    const { participants, iceServers, consumers, layers } = await this.#connection.request('media.resume', {
      ...this.room,
      participantId: this.#participantId,
      sending,
    });
    this.#joinedOn = this.#connection.id;
    this.#participants = new Map(participants.map((other) => [other.id, fromWire(other)]));
    this.#incoming.keepOnly(new Set(consumers.map(({ id }) => id)));
    for (const transport of wasAway ? this.#transports : []) {
      await transport.updateIceServers({ iceServers: iceServers as RTCIceServer[] });
      await restartIce(transport, this.#connection, this.room);
    }
    for (const demand of layers) await this.outgoing.limitLayers(demand);
    return consumers;
  }

  /** Joins or resumes, after what is being received now, and before what is received next. */
  #entering<T>(enter: () => Promise<T>): Promise<T> {
    const entered = this.#consuming.then(enter);
    this.#entered = entered.catch(() => undefined);
    return entered;
  }

  /** Receives and sends, neither of which waits for the requests of the other. */
  async #start(consumers: WireConsumer[], which: typeof isMissing = () => true): Promise<void> {
    // The next task in the queue waits for all of it, even if a part fails.
    await allEnded([this.#receive(consumers), ...this.#produce(this.outgoing.all.filter(which))]);
  }

  /** Whether the media was joined or resumed on the current connection. */
  get #isJoined(): boolean {
    return this.#joinedOn !== null && this.#joinedOn === this.#connection.id;
  }

  /**
   * Produces sources, none of which waits for the server's answer about another. Videos come first: the transport connects with the first
   * source, and the server should know a video before its first key frame arrives.
   */
  #produce(sources: OutgoingSource[]): Promise<void>[] {
    const sending = this.#sending;
    if (this.#closed || !sending) return [];
    const isAudio = ({ local }: OutgoingSource) => local.track.kind === 'audio';
    const ordered = [...sources].sort((one, other) => Number(isAudio(one)) - Number(isAudio(other)));
    return ordered.map(async (outgoing) => {
      await this.outgoing.produce(outgoing, sending);
      await this.#connecting;
    });
  }

  /** Receives from these consumers, once this device has joined. Does not wait for consumers that are being added already. */
  #receive(consumers: WireConsumer[]): Promise<void> {
    const consumed = this.#entered.then(() => this.#consume(consumers));
    this.#consuming = settled([this.#consuming, consumed]);
    return consumed;
  }

  async #consume(consumers: WireConsumer[]): Promise<void> {
    const added = this.#incoming.onlyNew(consumers);
    const receiving = this.#receiving;
    if (this.#closed || !receiving) return;
    const adding = Promise.all(
      added.map((wire) => this.#incoming.add(receiving, wire, this.#participants.get(wire.participant.id))),
    );
    // Browsers never settle what a connection was doing when it was closed.
    await orAborted(adding, this.#end.signal).catch((error: unknown) => {
      if (!this.#closed) throw error;
    });
    if (this.#closed) return;
    for (const { id } of added) this.#unready.add(id);
    // Not delayed until the transport is connected: packets flow as soon as both are done.
    await this.#reportReady();
    await this.#connecting;
  }

  /**
   * Tells the server that this device is ready for the packets of its consumers. If the server is too busy, it is told later, for which
   * joining does not wait; if the connection is lost, when the media has resumed.
   */
  async #reportReady(failures = 0): Promise<void> {
    const receiving = this.#receiving;
    while (this.#unready.size > 0) {
      const consumerIds = [...this.#unready].slice(0, batchSize);
      for (const id of consumerIds) this.#unready.delete(id);
      try {
        await this.#connection.request('media.resumeConsumers', { ...this.room, consumerIds });
      } catch (error) {
        if (receiving !== this.#receiving) throw error;
        for (const id of consumerIds) this.#unready.add(id);
        if (!isWorthRepeating(error) || !this.#isJoined) throw error;
        void this.#reportReadyLater(receiving, error, failures + 1).catch(this.#hooks.onFailed);
        return;
      }
    }
  }

  async #reportReadyLater(receiving: Transport | null, error: unknown, failures: number): Promise<void> {
    await pause(error, failures);
    if (receiving === this.#receiving) await this.#reportReady(failures);
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
    this.outgoing.dropProducers();
    this.#incoming.clear();
    this.#unready.clear();
  }

  #enqueue(task: () => Promise<void>): Promise<void> {
    const run = this.#queue.then(task);
    this.#queue = run.catch(() => undefined);
    return run;
  }
}

const isMissing = (outgoing: OutgoingSource): boolean => !isProduced(outgoing);
