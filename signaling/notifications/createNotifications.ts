import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Logger } from 'pino';
import type { ParleyServer } from '../socket/RequestContext.ts';
import type { Handlers } from '../socket/Handlers.ts';
import type { ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import type { OwnNode } from '../../platform/node/OwnNode.ts';
import { Preferences } from './Preferences.ts';
import { Presence } from './Presence.ts';
import { Pushes } from './Pushes.ts';
import type { People } from '../people/People.ts';
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
  people: Pick<People, 'nameFor'>;
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
  const { db, jobs, sender, people, log } = deps;
  const subscriptions = new Subscriptions(db, deps.livingSessions);
  const presence = new Presence(deps);
  const pushes = new Pushes({ db, jobs, sender, subscriptions, people, log });
  const preferences = new Preferences(db);
  return {
    pushes,
    presence,
    handlers: {
      'notifications.getServerKey': () => Promise.resolve({ publicKey: sender.publicKey }),
      'notifications.register': async (context, payload) => {
        sender.check(payload);
        const isFirst = await subscriptions.put(context.wallet, context.sessionId, payload);
        if (isFirst) await presence.onSubscribed(context.wallet);
      },
      'notifications.unregister': (context, payload) => subscriptions.remove(context.wallet, payload.address),
      'notifications.setPreferences': (context, payload) => preferences.set(context.wallet, payload),
      'notifications.getPreferences': (context) => preferences.of(context.wallet),
      'notifications.seen': (context, payload) => pushes.seen(db, { wallet: context.wallet, ...payload }),
    },
  };
}
