import { sql } from 'drizzle-orm';
import type { Address } from '../../../sdk/protocol/address.ts';
import { conversationId } from '../../../signaling/messages/conversationId.ts';
import { batch } from '../registry/rules.ts';
import type { ErasureRule } from '../registry/TableData.ts';
import { eraseLateWords } from '../retention/messages.ts';

/**
 * Gives the conversations of the person new ids. The id of a conversation is a hash of both wallets: with the old one, the wallet's next
 * account would see the conversation again, and the other wallet could not read it any more. Messages that were stored meanwhile are emptied
 * before, because they are no longer the person's with the new name.
 */
export const moveConversations: ErasureRule = {
  find: ({ wallet }) => sql`
    SELECT conversation, peer FROM conversation_members WHERE wallet = ${wallet} AND peer NOT LIKE 'grp\\_%' LIMIT 1`,
  async erase(tx, rows, { jobs, person: { wallet, pseudonym } }) {
    const { conversation: old, peer } = rows[0] as { conversation: string; peer: Address };
    const moved = conversationId(pseudonym, peer === wallet ? pseudonym : peer);
    const renamed = (column: 'wallet' | 'peer' | 'sender' | 'recipient') =>
      sql`CASE ${sql.identifier(column)} WHEN ${wallet} THEN ${pseudonym} ELSE ${sql.identifier(column)} END`;
    await tx.execute(sql`SELECT FROM conversations WHERE id = ${old} FOR UPDATE`);
    // Before the messages: a search locks the row of its wallet first, and then messages.
    await tx.execute(sql`
      SELECT FROM conversation_members WHERE wallet IN (${wallet}, ${peer}) AND conversation = ${old} ORDER BY wallet FOR UPDATE`);
    await eraseLateWords(tx, [old], wallet, jobs);
    await tx.execute(sql`
      INSERT INTO conversations (id, messages, latest_at, previous_at) SELECT ${moved}, messages, latest_at, previous_at FROM conversations
      WHERE id = ${old} ON CONFLICT DO NOTHING`);
    await tx.execute(sql`
      INSERT INTO conversation_members (wallet, conversation, peer, active_at, delivered_until, read_until, indexed_until)
      SELECT ${renamed('wallet')}, ${moved}, ${renamed('peer')}, active_at, delivered_until, read_until, indexed_until
      FROM conversation_members WHERE conversation = ${old} ON CONFLICT DO NOTHING`);
    const { rowCount } = await tx.execute(sql`
      UPDATE wallet_messages SET conversation = ${moved}, sender = ${renamed('sender')}, recipient = ${renamed('recipient')}
      WHERE id IN (SELECT id FROM wallet_messages WHERE conversation = ${old} LIMIT ${sql.raw(String(batch))})`);
    if (rowCount === batch) return;
    await tx.execute(sql`DELETE FROM conversation_members WHERE conversation = ${old}`);
    await tx.execute(sql`DELETE FROM conversations WHERE id = ${old}`);
  },
};
