import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toIso, type Address } from '../../sdk/protocol/common.ts';
import { isEmoji } from '../../sdk/protocol/emoji.ts';
import { conversationId } from './conversationId.ts';
import { maxReactions, withoutReaction, withReaction } from './reactions.ts';
import type { StoredReaction } from './tables.ts';
import { statusOf } from './toWire.ts';

/* The pure functions of the message rules. */

const address = fc
  .array(fc.constantFrom(...'0123456789abcdefABCDEF'), { minLength: 40, maxLength: 40 })
  .map((digits): Address => `0x${digits.join('')}`);
const at = toIso(new Date());

describe('conversationId', () => {
  it('is the same for both wallets, unique per pair, and has the form of ids', () => {
    fc.assert(
      fc.property(address, address, address, (one, other, third) => {
        const id = conversationId(one, other);
        expect(id).toMatch(/^cnv_[0-9A-Za-z]{24}$/);
        expect(conversationId(other, one)).toBe(id);
        if (third !== other && third !== one) expect(conversationId(one, third)).not.toBe(id);
      }),
    );
  });
});

describe('reactions', () => {
  const person = fc.constantFrom<Address>('0xa', '0xb');
  const emoji = fc.constantFrom(...'👍👎😀😁😂🤣😃😄😅😆😉😊');
  const steps = fc.array(fc.record({ from: person, emoji, added: fc.boolean() }), { maxLength: 80 });

  it('are unique per emoji and wallet, limited per wallet, and can be removed', () => {
    fc.assert(
      fc.property(steps, (all) => {
        let reactions: StoredReaction[] = [];
        const model = new Set<string>();
        for (const { from, emoji: symbol, added } of all) {
          const key = `${from} ${symbol}`;
          const own = [...model].filter((each) => each.startsWith(from)).length;
          if (!added) {
            expect(withoutReaction(reactions, { from, emoji: symbol }) === null).toBe(!model.has(key));
            reactions = withoutReaction(reactions, { from, emoji: symbol }) ?? reactions;
            model.delete(key);
          } else if (!model.has(key) && own === maxReactions) {
            expect(() => withReaction(reactions, { from, emoji: symbol, at })).toThrow('remove one first');
          } else {
            reactions = withReaction(reactions, { from, emoji: symbol, at }) ?? reactions;
            model.add(key);
          }
          expect(reactions.map((reaction) => `${reaction.from} ${reaction.emoji}`).sort()).toEqual(
            [...model].sort(),
          );
        }
      }),
    );
  });
});

describe('statusOf', () => {
  const moment = fc.option(fc.date({ noInvalidDate: true }));

  it('is read when the read mark has passed it, and never goes back as marks move forward', () => {
    const rank = { sending: -1, failed: -1, sent: 0, delivered: 1, read: 2 };
    fc.assert(
      fc.property(
        fc.date({ noInvalidDate: true }),
        moment,
        moment,
        fc.nat(),
        (sentAt, delivered, read, later) => {
          const before = statusOf(sentAt, { deliveredUntil: delivered, readUntil: read });
          expect(before === 'read').toBe(read !== null && sentAt <= read);
          const forward = (mark: Date | null) => mark && new Date(Math.min(mark.getTime() + later, 8.64e15));
          const after = statusOf(sentAt, { deliveredUntil: forward(delivered), readUntil: forward(read) });
          expect(rank[after]).toBeGreaterThanOrEqual(rank[before]);
        },
      ),
    );
  });
});

describe('isEmoji', () => {
  it.each(['👍', '👍🏽', '❤️', '❤', '👩‍👩‍👧‍👦', '🏴󠁧󠁢󠁳󠁣󠁴󠁿', '🇩🇪', '1️⃣', '🔟', '☺️', '👨🏿‍❤️‍💋‍👨🏻'])('accepts %s', (text) => {
    expect(isEmoji(text)).toBe(true);
  });

  it.each(['', 'a', '1', 'ok', '👍👍', '👍 ', ' 👍', '👍a', '\u200d', '👩‍'.repeat(20), '<b>'])(
    'rejects %j',
    (text) => {
      expect(isEmoji(text)).toBe(false);
    },
  );
});
