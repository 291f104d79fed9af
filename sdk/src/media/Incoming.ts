import type { Consumer, Transport } from 'mediasoup-client/types';
import type { Scope, Source, WireConsumer } from '../../protocol/media.ts';
import { fromWire } from '../connection/fromWire.ts';
import type { MediaTrack, Participant } from '../types.ts';

interface Entry {
  consumer: Consumer;
  track: MediaTrack;
  /** Whether the app has been given the track. */
  presented: boolean;
}

/** A transport that is about to close, and the consumers that use it until then. */
interface Former {
  transport: Transport;
  consumerIds: Set<string>;
}

/** What the app is told. */
export interface IncomingHooks {
  onTrack: (track: MediaTrack) => void;
  onTrackEnded: (track: MediaTrack) => void;
}

/** The maximum wait for the tracks from the room's new node. */
const migrationMs = 5_000;
/** The interval of checks whether a new track has data. */
const checkFlowMs = 50;

/**
 * The tracks that this device receives in one room. While the room moves to another node (`beginMove`), the app keeps each old track until
 * its replacement has data. It also does so when another consumer replaces one of the same source, because a node that forwards it stops.
 */
export class Incoming {
  readonly #room: { scope: Scope; id: string };
  readonly #hooks: IncomingHooks;
  readonly #entries = new Map<string, Entry>();
  /** Consumers that are being created. */
  readonly #adding = new Set<string>();
  /** Consumers that the server closed before this client created them. */
  readonly #closedEarly = new Set<string>();
  /** The streams that the app plays: per wallet, one for the camera and one for the screen. A stream is kept when its tracks change. */
  readonly #streams = new Map<string, MediaStream>();
  #former: Former | null = null;

  constructor(room: { scope: Scope; id: string }, hooks: IncomingHooks) {
    this.#room = room;
    this.#hooks = hooks;
  }

  /** The tracks the app has, by consumer id. */
  get presented(): Map<string, MediaTrack> {
    const presented = [...this.#entries].filter(([, entry]) => entry.presented);
    return new Map(presented.map(([id, { track }]) => [id, track]));
  }

  /** Returns the consumers that are neither known, nor being created, nor closed already. */
  onlyNew(consumers: WireConsumer[]): WireConsumer[] {
    const isKnown = (id: string) => this.#entries.has(id) || this.#adding.has(id);
    return consumers.filter(({ id }) => !isKnown(id) && !this.#closedEarly.delete(id));
  }

  /** Removes all consumers except these. */
  keepOnly(consumerIds: ReadonlySet<string>): void {
    for (const id of [...this.#entries.keys()]) if (!consumerIds.has(id)) this.remove(id);
  }

  /** @param known the last known state of the participant, if any */
  async add(receiving: Transport, wire: WireConsumer, known: Participant | undefined): Promise<void> {
    const { id, producerId, kind, source, participant } = wire;
    // Tracks with the same stream id are played in sync: camera with microphone, screen with its audio.
    const streamId = `${participant.id}-${isScreen(source) ? 'screen' : 'camera'}`;
    const rtpParameters = wire.rtpParameters as never;
    this.#adding.add(id);
    const consumer = await receiving
      .consume({ id, producerId, kind, rtpParameters, streamId })
      .finally(() => this.#adding.delete(id));
    // The server closed it in the meantime.
    if (this.#closedEarly.delete(id)) consumer.close();
    if (consumer.closed) return;
    const sender = known ?? fromWire(participant);
    const stream = this.#streamOf(sender, source);
    const track: MediaTrack = { ...this.#room, participant: sender, source, track: consumer.track, stream };
    this.#entries.set(id, { consumer, track, presented: false });
    const former = this.#former;
    const hasOldTrack = former ? () => this.#former === former : () => this.#sameSource(id).length > 0;
    if (hasOldTrack()) void this.#untilData(consumer, hasOldTrack).then(() => this.#present(id));
    else this.#present(id);
  }

  remove(consumerId: string): void {
    const entry = this.#entries.get(consumerId);
    if (!entry) return void this.#closedEarly.add(consumerId);
    this.#entries.delete(consumerId);
    entry.consumer.close();
    if (entry.presented) this.#end(entry.track);
  }

  /** Announces that later consumers use another transport. `transport` is closed once all its tracks are replaced, or after a limit. */
  beginMove(transport: Transport): void {
    this.#endMove();
    const former = { transport, consumerIds: new Set(this.#entries.keys()) };
    this.#former = former;
    setTimeout(() => this.#endMove(former), migrationMs);
  }

  /** Ends all tracks. Called when the transports have been closed, and with them all consumers. */
  clear(): void {
    this.#endMove();
    const presented = [...this.presented.values()];
    this.#entries.clear();
    this.#closedEarly.clear();
    for (const track of presented) this.#end(track);
  }

  /** Ends a track, and removes it from its stream, because browsers keep showing the last frame of an ended track. */
  #end(ended: MediaTrack): void {
    ended.stream.removeTrack(ended.track);
    this.#hooks.onTrackEnded(ended);
  }

  /** The ids of other consumers of the same source, as far as the app has their tracks. */
  #sameSource(consumerId: string): string[] {
    const entry = this.#entries.get(consumerId);
    if (!entry) return [];
    const same = (other: Entry) =>
      other !== entry && other.presented && sourceKey(other) === sourceKey(entry);
    return [...this.#entries].filter(([, other]) => same(other)).map(([id]) => id);
  }

  /** Resolves when the consumer has received data or is closed, or the old track has ended. */
  async #untilData(consumer: Consumer, hasOldTrack: () => boolean): Promise<void> {
    while (hasOldTrack() && !consumer.closed) {
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
    const entry = this.#entries.get(id);
    if (!entry || entry.presented) return;
    entry.presented = true;
    const { stream, track } = entry.track;
    for (const other of stream.getTracks()) if (other.kind === track.kind) stream.removeTrack(other);
    stream.addTrack(track);
    this.#hooks.onTrack(entry.track);
    if (!this.#former) for (const replaced of this.#sameSource(id)) this.remove(replaced);
    else if (this.#isReplaced(this.#former)) this.#endMove();
  }

  /** Whether all tracks of the former transport have a replacement. */
  #isReplaced({ consumerIds }: Former): boolean {
    const entries = [...this.#entries];
    const present = new Set(
      entries
        .filter(([id, { presented }]) => presented && !consumerIds.has(id))
        .map(([, entry]) => sourceKey(entry)),
    );
    return entries.every(([id, entry]) => !consumerIds.has(id) || present.has(sourceKey(entry)));
  }

  #endMove(former = this.#former): void {
    if (!former || former !== this.#former) return;
    this.#former = null;
    former.transport.close();
    for (const consumerId of former.consumerIds) if (this.#entries.has(consumerId)) this.remove(consumerId);
    // The app gets the remaining tracks now, even without data.
    for (const id of [...this.#entries.keys()]) this.#present(id);
  }

  #streamOf({ walletAddress }: Participant, source: Source): MediaStream {
    const key = `${walletAddress} ${isScreen(source) ? 'screen' : 'camera'}`;
    const stream = this.#streams.get(key) ?? new MediaStream();
    this.#streams.set(key, stream);
    return stream;
  }
}

export const isScreen = (source: Source): boolean => source.startsWith('screen');

const sourceKey = ({ track }: Entry): string => `${track.participant.walletAddress} ${track.source}`;
