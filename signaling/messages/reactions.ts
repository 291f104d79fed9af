import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { StoredReaction } from './tables.ts';

/** Of one person, on one message. */
export const maxReactions = 10;

type Own = Pick<StoredReaction, 'emoji' | 'from'>;

const same = (one: Own, other: Own) => one.emoji === other.emoji && one.from === other.from;

/** One per emoji and person. @returns null where it is there already */
export function withReaction(reactions: StoredReaction[], added: StoredReaction): StoredReaction[] | null {
  if (reactions.some((reaction) => same(reaction, added))) return null;
  if (reactions.filter(({ from }) => from === added.from).length >= maxReactions)
    throw new ParleyError(
      'CONFLICT',
      `At most ${maxReactions} reactions of one person: take one back first.`,
    );
  return [...reactions, added];
}

/** @returns null where there is none */
export function withoutReaction(reactions: StoredReaction[], removed: Own): StoredReaction[] | null {
  const left = reactions.filter((reaction) => !same(reaction, removed));
  return left.length === reactions.length ? null : left;
}
