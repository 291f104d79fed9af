import { rmdir } from 'node:fs/promises';
import type { MediaCluster, PeerInfo } from '../../media/MediaCluster.ts';
import { viewOf, type EgressView } from '../../media/plainRtp.ts';
import type { Address } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { Source } from '../../sdk/protocol/media.ts';
import type { ActiveRecording } from '../../signaling/recordings/Recorder.ts';
import type { RecordingRow } from '../../signaling/recordings/tables.ts';
import { publisherIdentity } from '../../signaling/streaming/StreamGateway.ts';
import type { FfmpegSlots } from '../streaming/FfmpegSlots.ts';
import { walletOf } from '../streaming/walletOf.ts';
import { ParticipantRecorder, type Claim, type ParticipantDeps } from './ParticipantRecorder.ts';

interface RoomDeps extends ParticipantDeps {
  media: ParticipantDeps['media'] & Pick<MediaCluster, 'peers'>;
  /** Films that grow at a time, of people and of screens: those who come after are left out. */
  mostFilms: number;
  slots: FfmpegSlots;
}

/** What somebody sends that is one film. */
interface RoomClaim extends Claim {
  wallet: Address;
  shows: EgressView;
  sources: Set<Source>;
  peerIds: string[];
}

/** What is new is seen within this; what has ended is told. */
const lookMs = 500;
const nothing: Claim = { sources: new Set(), peerIds: [] };

/** Records everybody in a room, whoever comes and goes, and what they share of their screens. */
export class RoomRecorder implements ActiveRecording {
  readonly #recording: RecordingRow;
  readonly #folder: string;
  readonly #deps: RoomDeps;
  readonly #seats = new Map<string, ParticipantRecorder>();
  /** By seat: what gives back its place. Kept from one part to the next. */
  readonly #slots = new Map<string, () => void>();
  readonly #leftOut = new Set<Address>();
  readonly #timer: NodeJS.Timeout;
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

  get leftOut(): ReadonlySet<Address> {
    return this.#leftOut;
  }

  /** Who sends something it does not record yet. */
  look(): void {
    if (this.#stopping) return;
    this.#looking ??= this.#look().finally(() => (this.#looking = null));
  }

  onEgressLost(peerId: string): void {
    for (const identity of this.#seats.values()) identity.onEgressLost(peerId);
  }

  stop(): Promise<void> {
    return (this.#stopping ??= this.#stop());
  }

  async #stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
    await Promise.all([...this.#seats.values()].map((identity) => identity.stop()));
    for (const give of this.#slots.values()) give();
    // What could not be brought into the storage is still in it.
    await rmdir(this.#folder).catch(() => undefined);
  }

  async #look(): Promise<void> {
    const claims = claimsOf(await this.#unlessGone(this.#deps.media.peers(this.roomId), []));
    const looking: Promise<void>[] = [];
    // First those who send nothing any more: their places are free.
    for (const [key, identity] of this.#seats) {
      if (!claims.has(key)) looking.push(identity.look(nothing));
      if (!identity.isTaken) this.#giveBack(key);
    }
    for (const [key, claim] of claims) {
      const identity = this.#participantOf(key, claim);
      if (identity) looking.push(identity.look(claim));
    }
    await Promise.all(looking.map((look) => this.#unlessGone(look, undefined)));
  }

  /** @returns null where as many are recorded as may be */
  #participantOf(key: string, { wallet, shows }: RoomClaim): ParticipantRecorder | null {
    const known = this.#seats.get(key);
    if (known?.isTaken) return known;
    const { id: recordingId, kind, roomId, host } = this.#recording;
    const taken = [...this.#seats.values()].filter(({ isTaken }) => isTaken).length;
    const { mostFilms, slots, log } = this.#deps;
    const place = taken < mostFilms ? slots.processes.take(host, `recording ${recordingId} ${key}`) : null;
    if (!place) {
      if (this.#leftOut.size === 0) log.warn({ recordingId, roomId }, 'more people than are recorded');
      this.#leftOut.add(wallet);
      return null;
    }
    this.#giveBack(key);
    this.#slots.set(key, place);
    if (known) return known;
    const of = kind === 'stream' ? publisherIdentity : wallet;
    const whose = { roomId, recordingId, identity: of, shows, wallet, folder: this.#folder };
    const identity = new ParticipantRecorder(whose, this.#deps);
    this.#seats.set(key, identity);
    return identity;
  }

  #giveBack(key: string): void {
    this.#slots.get(key)?.();
    this.#slots.delete(key);
  }

  /** Nobody has opened the room yet, or nobody will: whoever ends the recording says so. */
  async #unlessGone<T>(asked: Promise<T>, otherwise: T): Promise<T> {
    return asked.catch((err: unknown) => {
      const { roomId } = this.#recording;
      if (!(err instanceof ParleyError)) this.#deps.log.warn({ err, roomId }, 'a room was not looked at');
      return otherwise;
    });
  }
}

/** By film. */
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
