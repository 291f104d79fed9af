import { rmdir } from 'node:fs/promises';
import type { MediaCluster, PeerInfo } from '../../media/MediaCluster.ts';
import type { PlainSource } from '../../media/plain.ts';
import type { Address } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { ActiveRecording } from '../../signaling/recordings/Recorder.ts';
import type { RecordingRow } from '../../signaling/recordings/tables.ts';
import { publisherSeat } from '../../signaling/streaming/StreamDoors.ts';
import { SeatRecorder, type SeatDeps } from './SeatRecorder.ts';

interface RoomDeps extends SeatDeps {
  media: SeatDeps['media'] & Pick<MediaCluster, 'peers'>;
  /** Recorded at a time: those who come after are left out. */
  mostPeople: number;
}

/** What is new is seen within this; what has ended is told. */
const lookMs = 500;

/** Records everybody in a room, whoever comes and goes. */
export class RoomRecorder implements ActiveRecording {
  readonly #recording: RecordingRow;
  readonly #folder: string;
  readonly #deps: RoomDeps;
  readonly #seats = new Map<string, SeatRecorder>();
  readonly #timer: NodeJS.Timeout;
  #isFull = false;
  #looking: Promise<void> | null = null;
  #stopping: Promise<void> | null = null;

  constructor(recording: RecordingRow, folder: string, deps: RoomDeps) {
    this.#recording = recording;
    this.#folder = folder;
    this.#deps = deps;
    this.#timer = setInterval(() => this.look(), lookMs);
    this.look();
  }

  get roomId(): string {
    return this.#recording.roomId;
  }

  get bytes(): number {
    return [...this.#seats.values()].reduce((sum, seat) => sum + seat.bytes, 0);
  }

  /** Who sends something it does not record yet. */
  look(): void {
    if (this.#stopping) return;
    this.#looking ??= this.#look().finally(() => (this.#looking = null));
  }

  onTapLost(peerId: string): void {
    for (const seat of this.#seats.values()) seat.onTapLost(peerId);
  }

  stop(): Promise<void> {
    return (this.#stopping ??= this.#stop());
  }

  async #stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
    await Promise.all([...this.#seats.values()].map((seat) => seat.stop()));
    // What could not be brought into the storage is still in it.
    await rmdir(this.#folder).catch(() => undefined);
  }

  async #look(): Promise<void> {
    const { roomId } = this.#recording;
    const peers = await this.#deps.media.peers(roomId).catch((err: unknown) => {
      // Nobody has opened it yet, or nobody will: whoever ends the recording says so.
      if (!(err instanceof ParleyError)) this.#deps.log.warn({ err, roomId }, 'a room was not looked at');
      return [];
    });
    const sending = new Map<string, Set<PlainSource>>();
    for (const peer of peers) {
      const wallet = walletOf(peer);
      if (!wallet) continue;
      const sources = sending.get(wallet) ?? new Set();
      for (const source of peer.sending)
        if (source === 'camera' || source === 'microphone') sources.add(source);
      sending.set(wallet, sources);
    }
    for (const [wallet, sources] of sending) if (sources.size > 0) this.#seatOf(wallet as Address);
    for (const [wallet, seat] of this.#seats) seat.look(sending.get(wallet) ?? new Set());
  }

  #seatOf(wallet: Address): void {
    if (this.#seats.has(wallet)) return;
    const { id: recordingId, kind, roomId } = this.#recording;
    const busy = [...this.#seats.values()].filter(({ isRecording }) => isRecording).length;
    if (busy >= this.#deps.mostPeople) {
      if (!this.#isFull) this.#deps.log.warn({ recordingId, roomId }, 'more people than are recorded');
      this.#isFull = true;
      return;
    }
    const seat = kind === 'stream' ? publisherSeat : wallet;
    const place = { roomId, recordingId, seat, wallet, folder: this.#folder };
    this.#seats.set(wallet, new SeatRecorder(place, this.#deps));
  }
}

/** As signalling tags those who take part (signaling/media/MediaSessions.ts). */
const walletOf = ({ tag }: PeerInfo) =>
  (tag.participant as { walletAddress?: Address } | undefined)?.walletAddress ?? null;
