import { ParleyError } from '../../sdk/protocol/errors.ts';

/** How many identities are remembered. A request arrives within seconds after it was allowed, so the latest ones are enough. */
const maxRemembered = 10_000;

/**
 * The revisions of memberships that are over. Signalling admits a device before its request reaches the room. In the meantime the
 * participant may have been removed, or may have moved to another device. Then the room knows a higher revision and refuses the request.
 */
export class Revisions {
  /** By identity, the revision below which memberships are over; the latest changed last. */
  readonly #current = new Map<string, number>();

  /** Memberships of this identity with a lower revision are over. */
  raise(identity: string, revision: number | undefined): void {
    if (revision === undefined) return;
    const raised = Math.max(revision, this.#current.get(identity) ?? revision);
    this.#current.delete(identity);
    this.#current.set(identity, raised);
    const [oldest] = this.#current.keys();
    if (this.#current.size > maxRemembered && oldest !== undefined) this.#current.delete(oldest);
  }

  /** Older nodes send no revision; their requests are always current. */
  isCurrent({ identity, revision }: { identity: string; revision?: number | undefined }): boolean {
    return revision === undefined || revision >= (this.#current.get(identity) ?? revision);
  }
}

const supersededReason = 'membership_over';

export const superseded = () =>
  new ParleyError('CONFLICT', 'The participant was removed or has moved to another device: join again.', {
    reason: supersededReason,
  });

/** Whether an error was created by `superseded`, even if it came over a link between nodes. */
export const isSuperseded = (error: unknown): boolean =>
  error instanceof ParleyError && error.reason === supersededReason;
