import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { defineHandler, type Handler } from '../socket/defineHandler.ts';
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

export function notificationHandlers(parts: NotificationParts): Handler[] {
  const { db, pushes, sender, subscriptions, preferences, presence } = parts;
  return [
    defineHandler('notifications.getServerKey', () => Promise.resolve({ publicKey: sender.publicKey })),
    defineHandler('notifications.register', async ({ caller, payload }) => {
      sender.check(payload);
      const isFirst = await subscriptions.put(caller.wallet, caller.sessionId, payload);
      if (isFirst) await presence.onSubscribed(caller.wallet);
      return {};
    }),
    defineHandler('notifications.unregister', async ({ caller, payload }) => {
      await subscriptions.remove(caller.wallet, payload.address);
      return {};
    }),
    defineHandler('notifications.setPreferences', async ({ caller, payload }) => {
      await preferences.set(caller.wallet, payload);
      return {};
    }),
    defineHandler('notifications.getPreferences', ({ caller }) => preferences.of(caller.wallet)),
    defineHandler('notifications.seen', async ({ caller, payload }) => {
      await pushes.seen(db, { wallet: caller.wallet, ...payload });
      return {};
    }),
  ];
}
