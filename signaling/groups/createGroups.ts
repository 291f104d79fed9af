import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { LimitFactory } from '../../platform/limits/Limits.ts';
import type { BlockList } from '../calls/BlockList.ts';
import type { Contacts } from '../Contacts.ts';
import type { EventLog } from '../events/EventLog.ts';
import type { Pushes } from '../notifications/Pushes.ts';
import type { GroupId } from '../../sdk/protocol/group.ts';
import { RecipientLimit } from '../RecipientLimit.ts';
import type { Handlers } from '../socket/Handlers.ts';
import { GroupService } from './GroupService.ts';
import { GroupStore } from './GroupStore.ts';

interface Given {
  db: NodePgDatabase;
  events: EventLog;
  pushes: Pick<Pushes, 'offer' | 'describe'>;
  blockList: BlockList;
  contacts: Contacts;
  limitFactory: LimitFactory;
  /** Wallets that a wallet may invite to rooms or add to groups per minute, of each kind. */
  invitesPerMinute: number;
  /** How often a wallet may be invited per minute, by contacts and by strangers. */
  invitedPerMinute: number;
}

const changesPerMinute = 60;

/** Groups of wallets that write to each other. */
export function createGroups(given: Given) {
  const { db, limitFactory, contacts } = given;
  const store = new GroupStore(db);
  const limit = (name: string, perMinute: number) => limitFactory.perWallet(name, perMinute, 60);
  const groups = new GroupService({
    ...given,
    store,
    limits: {
      changing: limit('group changes', changesPerMinute),
      adding: limit('group invites', given.invitesPerMinute),
      added: new RecipientLimit(limitFactory, contacts, 'group invited', given.invitedPerMinute),
    },
  });
  given.pushes.describe('group', async (wallet, id) => {
    const summary = (await store.summaries(wallet, [id as GroupId])).values().next().value;
    return summary?.standing === 'invited' ? { group: { id: summary.id, name: summary.name } } : 'old';
  });
  const handlers: Handlers<'groups'> = {
    'groups.create': (context, payload) => groups.create(context, payload),
    'groups.get': (context, payload) => groups.get(context.wallet, payload.groupId),
    'groups.rename': (context, payload) => groups.rename(context, payload),
    'groups.add': (context, payload) => groups.add(context, payload),
    'groups.remove': (context, payload) => groups.remove(context, payload),
    'groups.setRole': (context, payload) => groups.setRole(context, payload),
    'groups.join': (context, payload) => groups.join(context, payload.groupId),
    'groups.leave': (context, payload) => groups.leave(context, payload.groupId),
  };
  return { groups, store, handlers };
}
