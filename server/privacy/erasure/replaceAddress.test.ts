import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OpenDatabase } from '../../../platform/database/database.ts';
import type { Address } from '../../../sdk/protocol/address.ts';
import { deletedWallet } from '../../../sdk/protocol/deleted.ts';
import { messageWords } from '../../../signaling/messages/tables.ts';
import { wordsOf } from '../../../signaling/messages/words.ts';
import { CleanUp } from '../../../test/harness/nodes/embeddedPostgres/support.ts';
import { openTestDatabase } from '../../../test/harness/nodes/openTestDatabase.ts';
import { replaceAddress } from './replaceAddress.ts';

/* The words of messages that others have searched. */

const cleanUp = new CleanUp();
let database: OpenDatabase;

beforeAll(async () => {
  database = await openTestDatabase(cleanUp);
});
afterAll(() => cleanUp.run());

const address = '0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B';
const pseudonym = deletedWallet('AbCdEf'.repeat(4)) as Address;
const replaced = pseudonym.toLowerCase();
/** The first 38 digits, as an earlier release has indexed them. */
const start = address.slice(0, 40).toLowerCase();
const other = `${start}ff`;

it.each<[string, Address]>([
  ['an ordinary wallet', address],
  ['a contract wallet', `eip155:137:${address}`],
])('the address of %s is replaced in them, also if it was cut', async (_what, wallet) => {
  const { db, pool } = database;
  const texts = {
    whole: `to ${address}`,
    cut: `to ${start}`,
    onChain: `to eip155:137:${address}`,
    of: `of ${other} ${start}f`,
  };
  for (const [message, text] of Object.entries(texts))
    await pool.query(
      `INSERT INTO message_words (wallet, sent_at, message, words)
       SELECT '0xb0b', now(), $1, array_to_tsvector(array_agg('prefix24317' || word)) FROM unnest($2::text[]) word`,
      [message, wordsOf(text)],
    );
  await replaceAddress(db, wallet, pseudonym);
  const rows = await db.select().from(messageWords).where(eq(messageWords.wallet, '0xb0b'));
  const left = rows.map(({ message, words }) => [
    message,
    words
      .replaceAll(/'|prefix24317/g, '')
      .split(' ')
      .sort(),
  ]);
  expect(Object.fromEntries(left)).toEqual({
    whole: [replaced, 'to'],
    cut: [replaced, 'to'],
    onChain: [replaced, '137', 'eip155', 'to'],
    of: [`${start}f`, other, 'of'],
  });
  await db.delete(messageWords);
});
