import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { StoredReaction } from './tables.ts';

/** The maximum number of reactions of one wallet to one message. */
export const maxReactions = 10;

type Own = Pick<StoredReaction, 'emoji' | 'from'>;

export const isSame = (one: Own, other: Own) => one.emoji === other.emoji && one.from === other.from;

/** Adds a reaction. Each wallet may add each emoji once. @returns null if the reaction already exists */
export function withReaction(reactions: StoredReaction[], added: StoredReaction): StoredReaction[] | null {
  if (reactions.some((reaction) => isSame(reaction, added))) return null;
  if (reactions.filter(({ from }) => from === added.from).length >= maxReactions)
    throw new ParleyError(
      'CONFLICT',
      `A wallet may add ${maxReactions} reactions to a message: remove one first.`,
    );
  return [...reactions, added];
}

/** Removes a reaction. @returns null if there is no such reaction */
export function withoutReaction(reactions: StoredReaction[], removed: Own): StoredReaction[] | null {
  const left = reactions.filter((reaction) => !isSame(reaction, removed));
  return left.length === reactions.length ? null : left;
}
