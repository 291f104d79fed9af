import type { Consumer, Transport } from 'mediasoup-client/types';
import type { Scope, Source, WireConsumer } from '../../protocol/media.ts';
import { fromWire } from '../connection/fromWire.ts';
import type { MediaTrack, Participant } from '../types.ts';

interface Entry {
  consumer: Consumer;
  shown: MediaTrack;
  /** Whether the app has it. */
  presented: boolean;
}

/** A transport that is about to close, and what comes over it until then. */
interface Former {
  transport: Transport;
  consumerIds: Set<string>;
}

interface IncomingHooks {
  onTrack: (track: MediaTrack) => void;
  onTrackEnded: (track: MediaTrack) => void;
}

/** What does not come at the room's new place within this is not waited for. */
const migrationMs = 5_000;
const checkFlowMs = 50;

/**
 * What this device receives in one room, and what of it the app has been given. While the room moves (`beginMove`), the picture
 * that is there stays until the next one comes. So it does where the same is offered by another way, since a server in between leaves.
 */
export class Incoming {
  readonly #room: { scope: Scope; id: string };
  readonly #hooks: IncomingHooks;
  readonly #entries = new Map<string, Entry>();
  /** Consumers the server closed before this side got round to making them. */
  readonly #closedEarly = new Set<string>();
  /** What the app plays, by wallet and whether it is a screen: the same object when the wallet's tracks are others. */
  readonly #streams = new Map<string, MediaStream>();
  #former: Former | null = null;

  constructor(room: { scope: Scope; id: string }, hooks: IncomingHooks) {
    this.#room = room;
    this.#hooks = hooks;
  }

  /** What the app has: a picture or a sound, by the id of its consumer. */
  get shown(): Map<string, MediaTrack> {
    const presented = [...this.#entries].filter(([, entry]) => entry.presented);
    return new Map(presented.map(([id, { shown }]) => [id, shown]));
  }

  /** Of these, those that are neither here nor over already. */
  fresh(consumers: WireConsumer[]): WireConsumer[] {
    return consumers.filter(({ id }) => !this.#entries.has(id) && !this.#closedEarly.delete(id));
  }

  /** What is not among these (any more) is over. */
  keepOnly(consumerIds: ReadonlySet<string>): void {
    for (const id of [...this.#entries.keys()]) if (!consumerIds.has(id)) this.remove(id);
  }

  /** @param known the participant as last heard of, where it was */
  async add(receiving: Transport, wire: WireConsumer, known: Participant | undefined): Promise<void> {
    const { id, producerId, kind, source, participant } = wire;
    // What has one stream id is played in step: camera with microphone, screen with its sound.
    const streamId = `${participant.id}-${isScreen(source) ? 'screen' : 'camera'}`;
    const rtpParameters = wire.rtpParameters as never;
    const consumer = await receiving.consume({ id, producerId, kind, rtpParameters, streamId });
    // Over while it was being made.
    if (this.#closedEarly.delete(id)) consumer.close();
    if (consumer.closed) return;
    const sender = known ?? fromWire(participant);
    const stream = this.#streamOf(sender, source);
    const shown: MediaTrack = { ...this.#room, participant: sender, source, track: consumer.track, stream };
    this.#entries.set(id, { consumer, shown, presented: false });
    const former = this.#former;
    const isAwaited = former ? () => this.#former === former : () => this.#sameAs(id).length > 0;
    if (isAwaited()) void this.#flows(consumer, isAwaited).then(() => this.#present(id));
    else this.#present(id);
  }

  remove(consumerId: string): void {
    const entry = this.#entries.get(consumerId);
    if (!entry) return void this.#closedEarly.add(consumerId);
    this.#entries.delete(consumerId);
    entry.consumer.close();
    if (entry.presented) this.#end(entry.shown);
  }

  /** What comes from now on comes over another transport; this one closes once all that came over it comes over the other. */
  beginMove(transport: Transport): void {
    this.#endMove();
    const former = { transport, consumerIds: new Set(this.#entries.keys()) };
    this.#former = former;
    setTimeout(() => this.#endMove(former), migrationMs);
  }

  /** The transports are gone, and all that came over them. */
  clear(): void {
    this.#endMove();
    const shown = [...this.shown.values()];
    this.#entries.clear();
    this.#closedEarly.clear();
    for (const track of shown) this.#end(track);
  }

  /** Out of its stream too: browsers go on showing the last picture of a track that has ended. */
  #end(shown: MediaTrack): void {
    shown.stream.removeTrack(shown.track);
    this.#hooks.onTrackEnded(shown);
  }

  /** What the app has, and comes from the same as this. */
  #sameAs(consumerId: string): string[] {
    const entry = this.#entries.get(consumerId);
    if (!entry) return [];
    const same = (other: Entry) => other !== entry && other.presented && whatOf(other) === whatOf(entry);
    return [...this.#entries].filter(([, other]) => same(other)).map(([id]) => id);
  }

  /** Resolves when something can be seen or heard of it; or when what came before is over, and it is shown all the same. */
  async #flows(consumer: Consumer, isAwaited: () => boolean): Promise<void> {
    while (isAwaited() && !consumer.closed) {
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
    const { stream, track } = entry.shown;
    for (const other of stream.getTracks()) if (other.kind === track.kind) stream.removeTrack(other);
    stream.addTrack(track);
    this.#hooks.onTrack(entry.shown);
    if (!this.#former) for (const former of this.#sameAs(id)) this.remove(former);
    else if (this.#isAsGoodAs(this.#former)) this.#endMove();
  }

  /** Whether everything that comes over the former transports comes over the present ones too. */
  #isAsGoodAs({ consumerIds }: Former): boolean {
    const entries = [...this.#entries];
    const present = new Set(
      entries
        .filter(([id, { presented }]) => presented && !consumerIds.has(id))
        .map(([, entry]) => whatOf(entry)),
    );
    return entries.every(([id, entry]) => !consumerIds.has(id) || present.has(whatOf(entry)));
  }

  #endMove(former = this.#former): void {
    if (!former || former !== this.#former) return;
    this.#former = null;
    former.transport.close();
    for (const consumerId of former.consumerIds) if (this.#entries.has(consumerId)) this.remove(consumerId);
    // What has not begun to flow yet is shown all the same.
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

const whatOf = ({ shown }: Entry): string => `${shown.participant.walletAddress} ${shown.source}`;
