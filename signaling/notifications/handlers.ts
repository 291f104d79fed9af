import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Handlers } from '../socket/Handlers.ts';
import type { Preferences } from './Preferences.ts';
import type { Presence } from './Presence.ts';
import type { Pushes } from './Pushes.ts';
import type { PushSender } from './PushSender.ts';
import type { Subscriptions } from './Subscriptions.ts';

export interface NotificationParts {
  db: NodePgDatabase;
  pushes: Pushes;
  sender: PushSender;
  subscriptions: Subscriptions;
  preferences: Preferences;
  presence: Presence;
}

export function notificationHandlers(parts: NotificationParts): Handlers<'notifications'> {
  const { db, pushes, sender, subscriptions, preferences, presence } = parts;
  return {
    'notifications.getServerKey': () => Promise.resolve({ publicKey: sender.publicKey }),
    'notifications.register': async (context, payload) => {
      sender.check(payload);
      const isFirst = await subscriptions.put(context.wallet, context.sessionId, payload);
      if (isFirst) await presence.onSubscribed(context.wallet);
    },
    'notifications.unregister': async (context, payload) => {
      await subscriptions.remove(context.wallet, payload.address);
    },
    'notifications.setPreferences': async (context, payload) => {
      await preferences.set(context.wallet, payload);
    },
    'notifications.getPreferences': (context) => preferences.of(context.wallet),
    'notifications.seen': async (context, payload) => {
      await pushes.seen(db, { wallet: context.wallet, ...payload });
    },
  };
}
