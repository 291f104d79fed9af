import { expect, it } from 'vitest';
import type { Address } from '../sdk/protocol/common.ts';
import { memoryLimiters } from '../platform/limits/limiters.ts';
import { LimitFactory } from '../platform/limits/Limits.ts';
import { RecipientLimit } from './RecipientLimit.ts';
import { subnetsOf } from '../platform/limits/subnets.ts';

/* A limit of 24 per minute allows at most 4 for one sender, 6 for strangers from one network and 12 for all strangers together. */

const to = '0x00000000000000000000000000000000000000aa';
let created = 0;

function newLimit() {
  const contacts = { knows: (_: Address, wallet: Address) => Promise.resolve(wallet.startsWith('0xf')) };
  // Limits with the same name are shared within a process.
  return new RecipientLimit(new LimitFactory(memoryLimiters), contacts, `test ${created++}`, 24);
}

/** Different wallets try to reach the recipient, one after the other. @returns how many were admitted */
async function countAdmitted(
  limit: RecipientLimit,
  count: number,
  sender: { isContact?: boolean; network?: number } = {},
) {
  let admitted = 0;
  for (let index = 0; index < count; index++) {
    const wallet: Address = `0x${sender.isContact ? 'f' : '1'}${index}`;
    const subnets = subnetsOf(`192.0.2.${sender.network ?? index}`);
    const from = { wallet, subnets, countedAs: wallet } as Parameters<RecipientLimit['consume']>[0]['from'];
    if (await limit.admits({ from, to })) admitted++;
  }
  return admitted;
}

it('has one limit for all strangers, half of it for strangers from one network, and a separate one for contacts', async () => {
  const limit = newLimit();
  expect(await countAdmitted(limit, 20, { network: 1 })).toBe(6);
  expect(await countAdmitted(limit, 20)).toBe(6);
  expect(await countAdmitted(limit, 30, { isContact: true })).toBe(24);
});

it('limits each sender to a sixth, contact or not', async () => {
  const limit = newLimit();
  for (const wallet of ['0xf', '0x1'] as const) {
    const from = { wallet, countedAs: wallet, subnets: subnetsOf('192.0.2.1') } as Parameters<
      RecipientLimit['consume']
    >[0]['from'];
    const request = { from, to } as const;
    for (let count = 0; count < 4; count++) expect(await limit.consume(request)).toBe(wallet === '0xf');
    await expect(limit.consume(request)).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
  }
});
