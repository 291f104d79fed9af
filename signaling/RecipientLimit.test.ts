import { expect, it } from 'vitest';
import type { Address } from '../sdk/protocol/common.ts';
import { memoryLimiters } from '../platform/limits/limiters.ts';
import { LimitFactory } from '../platform/limits/Limits.ts';
import { RecipientLimit } from './RecipientLimit.ts';
import { subnetsOf } from '../platform/limits/subnets.ts';

/* Of 24 per minute: 4 from one sender, 6 from strangers of one network, 12 from all strangers. */

const to = '0x00000000000000000000000000000000000000aa';
let made = 0;

function pots() {
  const contacts = { knows: (_: Address, wallet: Address) => Promise.resolve(wallet.startsWith('0xf')) };
  // Limits with the same name are shared within a process.
  return new RecipientLimit(new LimitFactory(memoryLimiters), contacts, `test ${made++}`, 24);
}

/** How many of these senders are admitted. Each is another wallet. */
async function passes(
  limit: RecipientLimit,
  count: number,
  who: { friend?: boolean; network?: number } = {},
) {
  let passed = 0;
  for (let index = 0; index < count; index++) {
    const wallet: Address = `0x${who.friend ? 'f' : '1'}${index}`;
    const subnets = subnetsOf(`192.0.2.${who.network ?? index}`);
    const from = { wallet, subnets } as Parameters<RecipientLimit['consume']>[0]['from'];
    if (await limit.admits({ from, to })) passed++;
  }
  return passed;
}

it('strangers share a limit, those of one network half of it, and contacts have their own', async () => {
  const limit = pots();
  expect(await passes(limit, 20, { network: 1 })).toBe(6);
  expect(await passes(limit, 20)).toBe(6);
  expect(await passes(limit, 30, { friend: true })).toBe(24);
});

it('no sender gets more than a sixth, whether a contact or not', async () => {
  const limit = pots();
  for (const wallet of ['0xf', '0x1'] as const) {
    const from = { wallet, subnets: subnetsOf('192.0.2.1') } as Parameters<
      RecipientLimit['consume']
    >[0]['from'];
    const reaching = { from, to } as const;
    for (let count = 0; count < 4; count++) expect(await limit.consume(reaching)).toBe(wallet === '0xf');
    await expect(limit.consume(reaching)).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
  }
});
