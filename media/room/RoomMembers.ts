import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { Member, Publication } from './Member.ts';
import type { RoomRouter } from '../router/RoomRouter.ts';

/** The members of one room. */
export class RoomMembers {
  /** Participants by peer id: all members except viewers. */
  readonly present = new Map<string, Member>();
  /**
   * Viewers. They are kept apart because there may be very many, and work that is done for each participant must not be done for each
   * viewer.
   */
  readonly #viewers = new Map<string, Member>();
  readonly #participants = new Map<string, Set<Member>>();
  /** All members, by their keys on their routers. */
  readonly #keys = new Map<string, Member>();

  add(member: Member): void {
    this.#keys.set(member.key, member);
    (member.isViewer ? this.#viewers : this.present).set(member.id, member);
    this.#participants.set(
      member.identity,
      (this.#participants.get(member.identity) ?? new Set()).add(member),
    );
  }

  delete(member: Member): void {
    this.#keys.delete(member.key);
    for (const known of [this.present, this.#viewers])
      if (known.get(member.id) === member) known.delete(member.id);
    const present = this.#participants.get(member.identity);
    present?.delete(member);
    if (present?.size === 0) this.#participants.delete(member.identity);
  }

  clear(): void {
    for (const known of [this.present, this.#viewers, this.#participants, this.#keys]) known.clear();
  }

  find(peerId: string): Member | undefined {
    return this.present.get(peerId) ?? this.#viewers.get(peerId);
  }

  withKey(key: string): Member | undefined {
    return this.#keys.get(key);
  }

  /** @throws ParleyError NOT_FOUND */
  get(peerId: string): Member {
    const member = this.find(peerId);
    if (!member) throw notInRoom();
    return member;
  }

  /** The devices of one participant. */
  of(identity: string): Member[] {
    return [...(this.#participants.get(identity) ?? [])];
  }

  get size(): { participants: number; viewers: number } {
    return { participants: this.present.size, viewers: this.#viewers.size };
  }

  get all(): Member[] {
    return [...this.present.values(), ...this.#viewers.values()];
  }

  /** The members on this router. */
  in(router: RoomRouter): Member[] {
    return this.all.filter((member) => member.router === router);
  }

  /** The other participants. */
  partnersOf(member: Member): Member[] {
    return [...this.present.values()].filter(({ identity }) => identity !== member.identity);
  }

  /** All members that may receive this member's publications. */
  othersOf(member: Member): Member[] {
    return [...this.partnersOf(member), ...this.#viewers.values()];
  }

  /** All publications in the room. */
  get publications(): Publication[] {
    return [...this.present.values()].flatMap(({ publications }) => [...publications.values()]);
  }
}

/** Whether the member is included in active-speaker detection. */
export const isCounted = ({ isMultiparty, isViewer }: Member): boolean => isMultiparty && !isViewer;

/** Waits for the answer of a member's router. @throws ParleyError NOT_FOUND when the member left in the meantime */
export async function unlessLeft<T>(member: Member, asked: Promise<T>): Promise<T> {
  try {
    const answer = await asked;
    if (!member.hasLeft) return answer;
  } catch (error) {
    if (!member.hasLeft) throw error;
  }
  throw notInRoom();
}

const notInRoom = () => new ParleyError('NOT_FOUND', 'This device is not in the room: join it again.');
