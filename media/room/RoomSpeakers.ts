import type { Member, Publication } from './Member.ts';
import type { MediaEvents } from '../MediaCluster.ts';
import type { Volume } from '../router/routerOperations.ts';
import { forwardedIn, SpeakerRanking } from './speakers.ts';

interface RoomSpeakersOptions {
  roomId: string;
  members: ReadonlyMap<string, Member>;
  onSpeakers: (event: MediaEvents['speakers']) => void;
  /** The set of forwarded microphones has changed. */
  onForwarded: () => void;
}

/** Routers do not report silence. While there are speakers, the ranking is checked at this interval. */
const checkMs = 500;
/** The minimum time between two reports: when many people speak at the same time, their ranks change with every word. */
const reportMs = 1_000;

/** Determines the active speakers of one room, across all its routers, and which microphones are forwarded. */
export class RoomSpeakers {
  readonly #options: RoomSpeakersOptions;
  readonly #ranking = new SpeakerRanking();
  #forwarded: Set<string> | null = null;
  #reported = '';
  #reportedAt = -Infinity;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: RoomSpeakersOptions) {
    this.#options = options;
  }

  /** Whether this publication is forwarded. Sources other than microphones always are. */
  isForwarded(publication: Publication): boolean {
    return (
      publication.source !== 'microphone' ||
      this.#forwarded === null ||
      this.#forwarded.has(publication.producerId)
    );
  }

  /** Applies the volumes that a router reported. */
  update(volumes: readonly Volume[]): void {
    this.#ranking.update(volumes, performance.now());
    this.#check();
  }

  forget({ producerId }: Publication): void {
    this.#ranking.forget(producerId);
  }

  /**
   * Call after members or microphones were added or removed.
   * @param microphones all microphones of the room. @default those of its members
   * @returns whether the forwarded microphones changed
   */
  refresh(microphones = this.#microphones): boolean {
    const now = performance.now();
    const { members } = this.#options;
    const ids = microphones.filter(({ isPaused }) => !isPaused).map(({ producerId }) => producerId);
    const before = this.#forwarded;
    this.#forwarded = forwardedIn(members.size, ids, (id) => this.#ranking.level(id, now), before);
    return !isSame(before, this.#forwarded);
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #check(): void {
    this.close();
    const { roomId, onSpeakers, onForwarded } = this.#options;
    const ranked = this.#ranking.ranked(performance.now());
    const microphones = this.#microphones;
    const speakers = ranked.flatMap(({ producerId, level }) => {
      const microphone = microphones.find((each) => each.producerId === producerId);
      return microphone ? [{ peer: microphone.from.info, level }] : [];
    });
    const order = speakers.map(({ peer }) => peer.peerId).join();
    const now = performance.now();
    if (order !== this.#reported && now - this.#reportedAt >= reportMs) {
      this.#reported = order;
      this.#reportedAt = now;
      onSpeakers({ roomId, speakers });
    }
    if (this.refresh(microphones)) onForwarded();
    if (ranked.length > 0 || order !== this.#reported)
      this.#timer = setTimeout(() => this.#check(), checkMs).unref();
  }

  get #microphones(): Publication[] {
    const microphones = [];
    for (const { publications } of this.#options.members.values()) {
      const microphone = publications.get('microphone');
      if (microphone) microphones.push(microphone);
    }
    return microphones;
  }
}

function isSame(one: ReadonlySet<string> | null, other: ReadonlySet<string> | null): boolean {
  if (one === null || other === null) return one === other;
  return one.size === other.size && [...one].every((id) => other.has(id));
}
