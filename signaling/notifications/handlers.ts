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
    defineHandler('notifications.register', async ({ context, payload }) => {
      sender.check(payload);
      const isFirst = await subscriptions.put(context.wallet, context.sessionId, payload);
      if (isFirst) await presence.onSubscribed(context.wallet);
      return {};
    }),
    defineHandler('notifications.unregister', async ({ context, payload }) => {
      await subscriptions.remove(context.wallet, payload.address);
      return {};
    }),
    defineHandler('notifications.setPreferences', async ({ context, payload }) => {
      await preferences.set(context.wallet, payload);
      return {};
    }),
    defineHandler('notifications.getPreferences', ({ context }) => preferences.of(context.wallet)),
    defineHandler('notifications.seen', async ({ context, payload }) => {
      await pushes.seen(db, { wallet: context.wallet, ...payload });
      return {};
    }),
  ];
}
