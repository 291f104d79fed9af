import { sql } from 'drizzle-orm';
import { visibleTo } from '../../../signaling/messages/MessageStore.ts';
import { groupMembers, groups } from '../../../signaling/groups/tables.ts';
import {
  conversationMembers,
  conversations,
  messageWords,
  searchStates,
  walletMessages,
} from '../../../signaling/messages/tables.ts';
import { moveConversations } from '../erasure/moveConversations.ts';
import { emptyGroups, eraseWords, leaveGroups, messagesOf, oldMessages } from '../retention/messages.ts';
import { deletes, exported, rowsOf } from './rules.ts';
import type { Subject, TableData } from './TableData.ts';

const ofWallet = ({ wallet }: Subject) => sql`wallet = ${wallet}`;
const withMessages = 'Removed with the last of their messages, or with their group.';

/** Messages and groups. */
export const messageTables: TableData[] = [
  {
    table: walletMessages,
    kept: [oldMessages],
    personal: {
      exports: [
        {
          file: 'messages',
          rows: ({ wallet }) => sql`
            SELECT to_jsonb(m) - ARRAY['blocked', 'hidden_for_sender', 'hidden_for_recipient', 'hidden_for', 'unseen_edit']
              || jsonb_build_object('reactions', (
                SELECT coalesce(jsonb_agg(r.reaction - 'hidden' ORDER BY r.number), '[]')
                FROM jsonb_array_elements(m.reactions) WITH ORDINALITY AS r (reaction, number)
                WHERE NOT r.reaction ? 'hidden' OR r.reaction ->> 'from' = ${wallet}))
              || CASE WHEN m.sender = ${wallet} AND m.unseen_edit IS NOT NULL
                THEN jsonb_build_object('content', m.unseen_edit -> 'content', 'edited_at', m.unseen_edit -> 'at')
                ELSE '{}' END AS row
            FROM conversation_members c JOIN wallet_messages m ON m.conversation = c.conversation
            WHERE c.wallet = ${wallet} AND ${visibleTo(wallet ?? '0x', sql`m`)}`,
        },
      ],
      erases: [
        {
          find: ({ wallet }) =>
            messagesOf(
              wallet,
              sql`w.conversation IN (SELECT conversation FROM conversation_members WHERE wallet = ${wallet})`,
            ),
          erase: (tx, rows, { jobs }) => eraseWords(tx, rows, jobs),
        },
        {
          find: ({ wallet }, locks) => rowsOf(groupMembers, sql`wallet = ${wallet}`, sql`group_id`, locks),
          erase: (tx, rows, { jobs, person }) => leaveGroups(tx, rows, person.wallet, jobs),
        },
        moveConversations,
      ],
    },
  },
  {
    table: conversations,
    kept: withMessages,
    personal:
      'Times, who has written, and an id that is a hash of both wallets: moveConversations.ts replaces it.',
  },
  {
    table: messageWords,
    kept: 'Removed with their message.',
    personal: { erases: [deletes(messageWords, ofWallet)] },
  },
  {
    table: searchStates,
    kept: 'One row per wallet that has searched.',
    personal: { erases: [deletes(searchStates, ofWallet)] },
  },
  {
    table: conversationMembers,
    kept: withMessages,
    personal: {
      exports: [exported('conversations', conversationMembers, ofWallet, ['active_at', 'indexed_until'])],
      erases: [deletes(conversationMembers, ofWallet)],
    },
  },
  {
    table: groupMembers,
    kept: 'Removed with their group.',
    personal: {
      exports: [exported('groupMemberships', groupMembers, ofWallet)],
      erases: [],
    },
  },
  {
    table: groups,
    kept: [emptyGroups],
    personal: {
      exports: [
        exported(
          'groups',
          groups,
          ({ wallet }) => sql`id IN (SELECT g.group_id FROM group_members g WHERE g.wallet = ${wallet}
            AND g.standing = 'member')`,
        ),
      ],
      erases: [],
    },
  },
];
