import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Logger } from 'pino';
import type { ParleyServer } from '../socket/RequestContext.ts';
import type { Handlers } from '../socket/Handlers.ts';
import type { ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import type { OwnNode } from '../../platform/node/OwnNode.ts';
import { notificationHandlers } from './handlers.ts';
import { Preferences } from './Preferences.ts';
import { Presence } from './Presence.ts';
import { Pushes } from './Pushes.ts';
import type { PushSender } from './PushSender.ts';
import { Subscriptions, type LivingSessions } from './Subscriptions.ts';

interface NotificationDeps {
  db: NodePgDatabase;
  io: ParleyServer;
  node: OwnNode;
  /** Whether this is the only node. */
  isSingleNode: boolean;
  jobs: ScheduledJobs;
  sender: PushSender;
  livingSessions: LivingSessions;
  log: Logger;
}

export interface Notifications {
  /** Events that may become pushes are offered here. */
  pushes: Pushes;
  presence: Presence;
  handlers: Handlers<'notifications'>;
}

/** Pushes for devices whose app is not open. */
export function createNotifications(deps: NotificationDeps): Notifications {
  const { db, jobs, sender, log } = deps;
  const subscriptions = new Subscriptions(db, deps.livingSessions);
  const presence = new Presence(deps);
  const pushes = new Pushes({ db, jobs, sender, subscriptions, log });
  const preferences = new Preferences(db);
  const handlers = notificationHandlers({ db, pushes, sender, subscriptions, preferences, presence });
  return { pushes, presence, handlers };
}
