import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { BlockList } from '../calls/BlockList.ts';
import type { Handlers } from '../socket/Handlers.ts';
import type { ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import type { EventLog } from '../events/EventLog.ts';
import type { LimitFactory } from '../../platform/limits/Limits.ts';
import type { GroupService } from '../groups/GroupService.ts';
import type { GroupStore } from '../groups/GroupStore.ts';
import type { Notifier } from '../socket/Notifier.ts';
import type { Attachments } from './Attachments.ts';
import { MessageChanges } from './MessageChanges.ts';
import { MessageSearch } from './MessageSearch.ts';
import { MessageService, refuseSelf } from './MessageService.ts';
import { MessageStore } from './MessageStore.ts';
import { MessageWriter } from './MessageWriter.ts';
import type { Pushes } from '../notifications/Pushes.ts';
import { Receipts } from './Receipts.ts';
import { SearchIndex } from './SearchIndex.ts';
import { Typing } from './Typing.ts';

interface MessagesDeps {
  db: NodePgDatabase;
  pool: pg.Pool;
  jobs: ScheduledJobs;
  events: EventLog;
  notifier: Notifier;
  blockList: BlockList;
  /** Stores the files of messages. If it is missing, only text messages can be sent. */
  attachments?: Attachments | undefined;
  pushes: Pick<Pushes, 'describe'>;
  groups: GroupService;
  groupStore: GroupStore;
  limitFactory: LimitFactory;
  /** Messages a wallet may send per minute. */
  messagesPerSender: number;
  log: Logger;
}

export interface Messages {
  handlers: Handlers<'messages'>;
  onDisconnected(socketId: string): void;
  close(): void;
}

/** How often a wallet may begin to type in 10 seconds: one that pauses begins again. */
const typingPer10Seconds = 30;

/** Messages between wallets and in groups. */
export function createMessages(deps: MessagesDeps): Messages {
  const attachments = deps.attachments ?? null;
  const perSender = deps.limitFactory.perWallet('messages', deps.messagesPerSender, 60);
  const store = new MessageStore(deps.db);
  const receipts = new Receipts(deps);
  const common = { ...deps, attachments, perSender, store };
  const messages = new MessageService({ ...common, writer: new MessageWriter(deps), receipts });
  deps.pushes.describe('message', (wallet, id) => messages.pushOf(wallet, id));
  const index = new SearchIndex(deps.db);
  const changes = new MessageChanges({ ...common, messages, index });
  const search = new MessageSearch({ db: deps.db, store, messages, index });
  const starting = deps.limitFactory.perWallet('typing', typingPer10Seconds, 10);
  const typing = new Typing({ ...deps, starting });
  return {
    handlers: {
      'messages.send': (context, payload) => messages.send(context, payload),
      'messages.getConversations': (context, payload) => messages.conversations(context.wallet, payload),
      'messages.getConversation': (context, payload) => messages.conversation(context.wallet, payload.with),
      'messages.getMessages': (context, payload) => messages.messages(context.wallet, payload),
      'messages.markAsRead': (context, payload) => messages.markAsRead(context.wallet, payload.messageId),
      'messages.acknowledge': (context, payload) => receipts.delivered(context.wallet, payload.messageIds),
      'messages.addReaction': (context, payload) =>
        changes.react(context, payload.messageId, payload.emoji, true),
      'messages.removeReaction': (context, payload) =>
        changes.react(context, payload.messageId, payload.emoji, false),
      'messages.delete': (context, payload) =>
        changes.delete(context.wallet, payload.messageId, payload.forEveryone),
      'messages.edit': (context, payload) => changes.edit(context, payload.messageId, payload.content),
      'messages.search': (context, payload) => search.find(context.wallet, payload),
      'messages.setTyping': (context, payload) => {
        refuseSelf(payload.to, context.wallet);
        return typing.set(context, payload.to, payload.typing);
      },
    },
    onDisconnected: (socketId) => typing.onDisconnected(socketId),
    close: () => typing.close(),
  };
}
