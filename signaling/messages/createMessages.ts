import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { BlockList } from '../calls/BlockList.ts';
import type { Handlers } from '../socket/Handlers.ts';
import type { ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import type { EventLog } from '../events/EventLog.ts';
import type { Limit } from '../../platform/limits/Limits.ts';
import type { Notifier } from '../socket/Notifier.ts';
import type { Attachments } from './Attachments.ts';
import { messageHandlers } from './handlers.ts';
import { MessageChanges } from './MessageChanges.ts';
import { MessageService } from './MessageService.ts';
import { MessageStore } from './MessageStore.ts';
import { MessageWriter } from './MessageWriter.ts';
import type { Pushes } from '../notifications/Pushes.ts';
import { Receipts } from './Receipts.ts';
import { Typing } from './Typing.ts';

interface MessagesDeps {
  db: NodePgDatabase;
  pool: pg.Pool;
  jobs: ScheduledJobs;
  events: EventLog;
  notifier: Notifier;
  blockList: BlockList;
  attachments: Attachments | null;
  pushes: Pick<Pushes, 'unless'>;
  perSender: Limit;
  /** The number of messages per minute that `perSender` allows. */
  messagesPerSender: number;
  log: Logger;
}

export interface Messages {
  handlers: Handlers<'messages'>;
  onDisconnected(socketId: string): void;
  close(): void;
}

/** Messages between wallets. */
export function createMessages(deps: MessagesDeps): Messages {
  const { db, pool, jobs, events, notifier, blockList, attachments, perSender, log } = deps;
  const { messagesPerSender } = deps;
  const store = new MessageStore(db);
  const receipts = new Receipts({ pool, events });
  const writer = new MessageWriter({ db, pool, jobs });
  const common = { store, events, attachments };
  const messages = new MessageService({
    ...common,
    writer,
    receipts,
    notifier,
    perSender,
    messagesPerSender,
    log,
  });
  deps.pushes.unless('message', (wallet, id) => messages.hasReached(wallet, id));
  const changes = new MessageChanges({ ...common, messages, blockList, perSender });
  const typing = new Typing({ notifier, blockList });
  return {
    handlers: messageHandlers({ messages, changes, receipts, typing }),
    onDisconnected: (socketId) => typing.onDisconnected(socketId),
    close: () => typing.close(),
  };
}
