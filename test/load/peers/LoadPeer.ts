import { setTimeout as delay } from 'node:timers/promises';
import type {
  JoinedMedia,
  RtpCapabilities,
  RtpParameters,
  Scope,
  WireConsumer,
} from '../../../sdk/protocol/media.ts';
import type { BenchParticipant, OwnEnd } from '../../bench/rooms/BenchParticipant.ts';
import { RtpPeer } from '../../bench/rooms/RtpPeer.ts';
import type { LayerShape } from '../../bench/rooms/shapes.ts';
import { LoadError } from '../report/describeError.ts';
import type { Measures } from '../report/Measures.ts';
import type { Run } from '../Run.ts';
import type { LoadWallet } from './LoadWallet.ts';
import { MediaWatch } from './MediaWatch.ts';

/** The period over which peers' sending times are distributed. */
const spreadMs = 100;
/** How long the old transports stay open when a room moves to another node, as in the SDK. */
const overlapMs = 2_000;
/** Consumers that are offered within this time are taken by one request. */
const collectMs = 20;
const perRequest = 200;
const attempts = 6;
const firstPauseMs = 250;

interface PeerOptions {
  wallet: LoadWallet;
  room: { scope: Scope; id: string };
  /** Enters the call, room or stream; answers with the media if the server has joined it too. */
  enter: (media: { rtpCapabilities: RtpCapabilities }) => Promise<{ media?: JoinedMedia | undefined }>;
  /** Enters again on a new connection. */
  reenter: () => Promise<unknown>;
  /** The layers that it declares; empty for a viewer. */
  layers: readonly LayerShape[];
  /** The index of the layer that is viewed. */
  layer: number;
  /** The size at which it shows the others' video. */
  size: { width: number; height: number };
}

/** A participant of the load. It joins by the public protocol, and follows its media to other workers and nodes as the SDK does. */
export class LoadPeer implements BenchParticipant {
  readonly bindAddress: string | null;
  readonly watch: MediaWatch;
  /** When it had joined, and sent if it is a publisher. */
  joinedAt = Infinity;
  readonly #run: Run;
  readonly #measures: Measures;
  readonly #options: PeerOptions;
  #rtp: RtpPeer | null = null;
  #hasEntered = false;
  #participantId = '';
  #offered: WireConsumer[] = [];
  #isReceiving = false;
  #collecting: NodeJS.Timeout | undefined;
  #queue: Promise<void> = Promise.resolve();
  #isClosed = false;
  /** Functions that remove the listeners. */
  readonly #listeners: (() => void)[];

  /**
   * Enters a room, connects its media, sends and receives.
   * @returns null if it failed, which is counted
   */
  static async join(
    run: Run,
    { measures, what }: { measures: Measures; what: string },
    options: PeerOptions,
  ): Promise<LoadPeer | null> {
    const peer = new LoadPeer(run, measures, options);
    const joined = await measures.attempt(what, () => peer.#join());
    if (joined) return peer;
    await peer.leave();
    return null;
  }

  private constructor(run: Run, measures: Measures, options: PeerOptions) {
    this.#run = run;
    this.#measures = measures;
    this.#options = options;
    this.bindAddress = run.bindAddress;
    this.watch = new MediaWatch(measures, performance.now());
    const { wallet } = options;
    const isMine = ({ id }: { id: string }) => id === options.room.id && !this.#isClosed;
    const replaced = new LoadError('replaced', 'another device took it over');
    this.#listeners = [
      wallet.on('media:consumer', (event) => isMine(event) && this.#onConsumer(event.consumer)),
      wallet.on('media:restarted', (event) => isMine(event) && this.#move(event.cause ?? 'other', 0)),
      wallet.on('media:goaway', (event) => isMine(event) && this.#move('drain', overlapMs)),
      wallet.on('media:replaced', (event) => isMine(event) && measures.fail('media', replaced)),
      wallet.onBack(() => this.#enqueue(() => this.#comeBack())),
    ];
  }

  get isSpeaking(): boolean {
    return this.#rtp?.isSpeaking ?? false;
  }

  set isSpeaking(speaks: boolean) {
    if (this.#rtp) this.#rtp.isSpeaking = speaks;
  }

  tick(now: number): void {
    this.#rtp?.tick(now);
  }

  /** Ends its media. Its room is left by the caller. */
  async leave(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#collecting);
    for (const remove of this.#listeners) remove();
    this.#run.leave(this);
    await this.#queue;
    this.#countPackets();
    this.#rtp?.close();
  }

  async #join(): Promise<true> {
    const { layers, layer } = this.#options;
    const onPacket = (packet: Buffer, isCurrent: boolean) => this.watch.take(packet, isCurrent);
    this.#rtp = await RtpPeer.enter(this, Math.random() * spreadMs, layers, onPacket);
    this.#rtp.sendUpTo(layer);
    this.#rtp.startAt(performance.now());
    await this.receive();
    this.#run.enter(this);
    this.joinedAt = performance.now();
    return true;
  }

  /* What RtpPeer asks of its participant. */

  async join(): Promise<JoinedMedia> {
    const { wallet, room, enter } = this.#options;
    const { rtpCapabilities } = wallet;
    this.#isReceiving = false;
    this.#offered = [];
    const { media } = this.#hasEntered ? {} : await enter({ rtpCapabilities });
    this.#hasEntered = true;
    const joined = media ?? (await wallet.ask('media.join', { ...room, rtpCapabilities }));
    this.#participantId = joined.peerId;
    // Consumers may have been offered between the answer and this line.
    const known = new Set(this.#offered.map(({ id }) => id));
    this.#offered.push(...joined.consumers.filter(({ id }) => !known.has(id)));
    return joined;
  }

  async connect(transportId: string, { dtlsParameters }: OwnEnd): Promise<void> {
    const { wallet, room } = this.#options;
    await wallet.ask('media.connectTransport', { ...room, transportId, dtlsParameters });
  }

  async produce(kind: 'audio' | 'video', rtpParameters: RtpParameters): Promise<void> {
    const { wallet, room, layers } = this.#options;
    const source = kind === 'audio' ? 'microphone' : 'camera';
    const { width, height } = layers.at(-1) ?? this.#options.size;
    await wallet.ask('media.produce', { ...room, source, rtpParameters, size: { width, height } });
  }

  async receive(): Promise<void> {
    this.#isReceiving = true;
    await this.#takeOffered();
  }

  /** RtpPeer is closed by leave(). */
  close(): void {
    this.#isReceiving = false;
  }

  #onConsumer(consumer: WireConsumer): void {
    this.#offered.push(consumer);
    if (!this.#isReceiving) return;
    this.#collecting ??= setTimeout(() => {
      this.#collecting = undefined;
      void this.#takeOffered().catch((error: unknown) => {
        if (!this.#isClosed) this.#measures.fail('receive', error);
      });
    }, collectMs);
  }

  /** Shows and resumes what was offered. */
  async #takeOffered(): Promise<void> {
    const { wallet, room, size } = this.#options;
    while (this.#offered.length > 0) {
      const some = this.#offered.splice(0, perRequest);
      const views = some
        .filter(({ kind }) => kind === 'video')
        .map(({ id: consumerId }) => ({ consumerId, isVisible: true, ...size }));
      if (views.length > 0) await wallet.ask('media.view', { ...room, views });
      await wallet.ask('media.resumeConsumers', { ...room, consumerIds: some.map(({ id }) => id) });
    }
  }

  #move(cause: string, keepMs: number): void {
    this.#enqueue(async () => {
      this.watch.moves(cause);
      await this.#rejoin(keepMs);
    });
  }

  /** Joins the media again with new transports. The new place may need a moment until it is ready. */
  async #rejoin(keepMs: number): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        this.#countPackets();
        await this.#rtp?.reenter(keepMs);
        this.#rtp?.startAt(performance.now());
        await this.receive();
        return;
      } catch (error) {
        if (attempt === attempts || this.#isClosed) throw error;
        await delay(firstPauseMs * attempt);
      }
    }
  }

  /** Enters again on a new connection, and resumes the media or, if that is gone, joins it again. */
  async #comeBack(): Promise<void> {
    const { wallet, room, reenter, layers } = this.#options;
    await reenter();
    const sources = layers.length > 0 ? (['microphone', 'camera'] as const) : [];
    const sending = sources.map((source) => ({ source, paused: false }));
    const participantId = this.#participantId;
    const resumed = await wallet.ask('media.resume', { ...room, participantId, sending }).catch(() => null);
    if (resumed) {
      this.#offered = resumed.consumers;
      return this.#takeOffered();
    }
    this.watch.moves('connection');
    await this.#rejoin(0);
  }

  #countPackets(): void {
    if (!this.#rtp) return;
    const { total, losses } = this.#rtp.arrivals;
    this.#measures.packets(total.packets, losses.lost);
  }

  #enqueue(task: () => Promise<void>): void {
    this.#queue = this.#queue.then(async () => {
      if (this.#isClosed) return;
      await task().catch((error: unknown) => {
        if (!this.#isClosed) this.#measures.fail('recovery', error);
      });
    });
  }
}
