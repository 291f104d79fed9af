import { rmdir } from 'node:fs/promises';
import type { PeerInfo } from '../../media/roomOperations.ts';
import { viewOf, type EgressView } from '../../media/plainRtp.ts';
import type { PartyId } from '../../sdk/protocol/party.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { Source } from '../../sdk/protocol/media.ts';
import type { ActiveRecording } from '../../signaling/recordings/Recorder.ts';
import type { RecordingRow } from '../../signaling/recordings/tables.ts';
import { publisherIdentity } from '../../signaling/streaming/StreamGateway.ts';
import type { FfmpegSlots } from '../streaming/FfmpegSlots.ts';
import { walletOf } from '../streaming/walletOf.ts';
import type { PartDeps } from './PartRecorder.ts';
import { ParticipantRecorder, type Claim } from './ParticipantRecorder.ts';

export interface RoomDeps extends PartDeps {
  /** The maximum number of files recorded at the same time, cameras and screens together. Participants beyond it are left out. */
  fileLimit: number;
  slots: FfmpegSlots;
}

/** Sources of a participant that go into one file. */
interface RoomClaim extends Claim {
  wallet: PartyId;
  shows: EgressView;
  sources: Set<Source>;
  peerIds: string[];
}

/** The interval at which the recorder looks for new sources. Events report lost sources. */
const updateMs = 500;
const noClaim: Claim = { sources: new Set(), peerIds: [] };

/** Records all participants of a room and their shared screens. */
export class RoomRecorder implements ActiveRecording {
  readonly #recording: RecordingRow;
  readonly #folder: string;
  readonly #deps: RoomDeps;
  readonly #recorders = new Map<string, ParticipantRecorder>();
  /** The functions that release a recorder's slot, by recorder key. A slot is kept from one part to the next. */
  readonly #slots = new Map<string, () => void>();
  readonly #leftOut = new Set<PartyId>();
  readonly #timer: NodeJS.Timeout;
  #updates: Promise<void> | null = null;
  #stopping: Promise<void> | null = null;

  constructor(recording: RecordingRow, folder: string, deps: RoomDeps) {
    this.#recording = recording;
    this.#folder = folder;
    this.#deps = deps;
    this.#timer = setInterval(() => this.update(), updateMs);
    this.update();
  }

  get roomId(): string {
    return this.#recording.roomId;
  }

  get leftOut(): ReadonlySet<PartyId> {
    return this.#leftOut;
  }

  /** Compares what participants send with what is recorded. */
  update(): void {
    if (this.#stopping) return;
    this.#updates ??= this.#compare().finally(() => (this.#updates = null));
  }

  onEgressLost(peerId: string): void {
    for (const recorder of this.#recorders.values()) recorder.onEgressLost(peerId);
  }

  stop(): Promise<void> {
    return (this.#stopping ??= this.#stop());
  }

  async #stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#updates;
    const recorders = [...this.#recorders.values()];
    await Promise.all(recorders.map((recorder) => recorder.stop()));
    for (const release of this.#slots.values()) release();
    await Promise.all(recorders.map(({ stored }) => stored));
    await rmdir(this.#folder).catch(() => undefined);
  }

  async #compare(): Promise<void> {
    const claims = claimsOf(await this.#unlessGone(this.#deps.media.room(this.roomId).peers({}), []));
    const updates: Promise<void>[] = [];
    // Participants that stopped sending come first, because that frees their slots.
    for (const [key, recorder] of this.#recorders) {
      if (!claims.has(key)) updates.push(recorder.update(noClaim));
      if (!recorder.isTaken) this.#releaseSlot(key);
    }
    for (const [key, claim] of claims) {
      const recorder = this.#participantOf(key, claim);
      if (recorder) updates.push(recorder.update(claim));
    }
    await Promise.all(updates.map((update) => this.#unlessGone(update, undefined)));
  }

  /** @returns null if no slot is free */
  #participantOf(key: string, { wallet, shows }: RoomClaim): ParticipantRecorder | null {
    const known = this.#recorders.get(key);
    if (known?.isTaken) return known;
    const { id: recordingId, kind, roomId, host } = this.#recording;
    const taken = [...this.#recorders.values()].filter(({ isTaken }) => isTaken).length;
    const { fileLimit, slots, log } = this.#deps;
    const releaseSlot =
      taken < fileLimit ? slots.processes.take(host, `recording ${recordingId} ${key}`) : null;
    if (!releaseSlot) {
      if (this.#leftOut.size === 0)
        log.warn({ recordingId, roomId }, 'recording is at its limit; participants are left out');
      this.#leftOut.add(wallet);
      return null;
    }
    this.#releaseSlot(key);
    this.#slots.set(key, releaseSlot);
    if (known) return known;
    const of = kind === 'stream' ? publisherIdentity : wallet;
    const whose = { roomId, recordingId, identity: of, shows, wallet, folder: this.#folder };
    const recorder = new ParticipantRecorder(whose, this.#deps);
    this.#recorders.set(key, recorder);
    return recorder;
  }

  #releaseSlot(key: string): void {
    this.#slots.get(key)?.();
    this.#slots.delete(key);
  }

  /**
   * Falls back to `otherwise` if the request fails: the room may not be open yet, or may be closed already. Ending the recording of a
   * closed room is not the task of this class.
   */
  async #unlessGone<T>(asked: Promise<T>, otherwise: T): Promise<T> {
    return asked.catch((err: unknown) => {
      const { roomId } = this.#recording;
      if (!(err instanceof ParleyError))
        this.#deps.log.warn({ err, roomId }, 'reading the participants of a recorded room failed');
      return otherwise;
    });
  }
}

/** The claims of all participants, one for each file to record. */
function claimsOf(peers: PeerInfo[]): Map<string, RoomClaim> {
  const claims = new Map<string, RoomClaim>();
  for (const { peerId, tag, sending } of peers) {
    const wallet = walletOf(tag);
    if (!wallet) continue;
    for (const source of sending) {
      const shows = viewOf(source);
      const key = `${wallet} ${shows}`;
      const claim = claims.get(key) ?? { wallet, shows, sources: new Set(), peerIds: [] };
      claim.sources.add(source);
      if (!claim.peerIds.includes(peerId)) claim.peerIds.push(peerId);
      claims.set(key, claim);
    }
  }
  return claims;
}
