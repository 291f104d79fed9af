import type { Member, Publication } from './Member.ts';
import type { MediaEvents } from '../MediaCluster.ts';
import type { Volume } from '../router/RoomRouter.ts';
import { forwardedIn, SpeakerRanking } from './speakers.ts';

interface RoomSpeakersOptions {
  roomId: string;
  members: ReadonlyMap<string, Member>;
  onSpeakers: (event: MediaEvents['speakers']) => void;
  /** Others are heard than before. */
  onForwarded: () => void;
}

/** Silence is told by nobody: while somebody is known to speak, it is looked after this often. */
const checkMs = 500;
/** Where many speak at once their ranks change with every word: who listens is told at once, and then this often at most. */
const tellMs = 1_000;

/** Who speaks in one room, over all its parts, and who is heard. */
export class RoomSpeakers {
  readonly #options: RoomSpeakersOptions;
  readonly #ranking = new SpeakerRanking();
  #heard: Set<string> | null = null;
  #told = '';
  #toldAt = -Infinity;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: RoomSpeakersOptions) {
    this.#options = options;
  }

  /** Whether this is to be heard; what is no microphone always is. */
  isForwarded(publication: Publication): boolean {
    return (
      publication.source !== 'microphone' || this.#heard === null || this.#heard.has(publication.producerId)
    );
  }

  /** A part tells who is loud in it. */
  hear(volumes: readonly Volume[]): void {
    this.#ranking.hear(volumes, Date.now());
    this.#check();
  }

  forget({ producerId }: Publication): void {
    this.#ranking.forget(producerId);
  }

  /** People, or their microphones, have come or gone. @returns whether others are heard than before */
  refresh(): boolean {
    const now = Date.now();
    const { members } = this.#options;
    const microphones = this.#microphones.filter(({ isPaused }) => !isPaused);
    const ids = microphones.map(({ producerId }) => producerId);
    const before = this.#heard;
    this.#heard = forwardedIn(members.size, ids, (id) => this.#ranking.level(id, now), before);
    return !isSame(before, this.#heard);
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #check(): void {
    this.close();
    const { roomId, onSpeakers, onForwarded } = this.#options;
    const ranked = this.#ranking.ranked(Date.now());
    const senders = new Map(
      this.#microphones.map((publication) => [publication.producerId, publication.from]),
    );
    const speakers = ranked.flatMap(({ producerId, level }) => {
      const member = senders.get(producerId);
      return member ? [{ peer: member.info, level }] : [];
    });
    const order = speakers.map(({ peer }) => peer.peerId).join();
    const now = performance.now();
    if (order !== this.#told && now - this.#toldAt >= tellMs) {
      this.#told = order;
      this.#toldAt = now;
      onSpeakers({ roomId, speakers });
    }
    if (this.refresh()) onForwarded();
    if (ranked.length > 0 || order !== this.#told)
      this.#timer = setTimeout(() => this.#check(), checkMs).unref();
  }

  get #microphones(): Publication[] {
    return [...this.#options.members.values()].flatMap(
      ({ publications }) => publications.get('microphone') ?? [],
    );
  }
}

function isSame(one: ReadonlySet<string> | null, other: ReadonlySet<string> | null): boolean {
  if (one === null || other === null) return one === other;
  return one.size === other.size && [...one].every((id) => other.has(id));
}
