import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { NewPeer } from '../roomOperations.ts';

/** How many identities are remembered. A request arrives within seconds after it was allowed, so the latest ones are enough. */
const maxRemembered = 10_000;

type Request = Pick<NewPeer, 'identity' | 'revision' | 'order'>;

/** A revision, and the latest join with it. */
type Current = Record<'revision' | 'order', number>;

/**
 * The revisions of memberships that are over. Signalling admits a device before its request reaches the room. In the meantime the
 * participant may have been removed, or may have moved to another device. Then the room knows a higher revision and refuses the request.
 */
export class Revisions {
  /** By identity, the revision below which memberships are over, and its latest join; the latest changed last. */
  readonly #current = new Map<string, Current>();

  /** Memberships of this identity with a lower revision are over, and so are its earlier joins with this one. */
  raise({ identity, revision, order = 0 }: Request): void {
    if (revision === undefined) return;
    const known = this.#current.get(identity);
    this.#current.delete(identity);
    const raised = { revision, order };
    this.#current.set(identity, known && isBefore(raised, known) ? known : raised);
    const [oldest] = this.#current.keys();
    if (this.#current.size > maxRemembered && oldest !== undefined) this.#current.delete(oldest);
  }

  /** Older nodes send no revision; their requests are always current. */
  isCurrent({ identity, revision, order = Infinity }: Request): boolean {
    const known = this.#current.get(identity);
    return revision === undefined || !known || !isBefore({ revision, order }, known);
  }
}

const isBefore = (one: Current, other: Current): boolean =>
  one.revision < other.revision || (one.revision === other.revision && one.order < other.order);

const supersededReason = 'membership_over';

export const superseded = () =>
  new ParleyError('CONFLICT', 'The participant was removed or has moved to another device: join again.', {
    reason: supersededReason,
  });

/** Whether an error was created by `superseded`, even if it came over a link between nodes. */
export const isSuperseded = (error: unknown): boolean =>
  error instanceof ParleyError && error.reason === supersededReason;
