import type { z } from 'zod';
import { apiSettings } from './settings/api.ts';
import { fileSettings } from './settings/files.ts';
import { identitySettings } from './settings/identity.ts';
import { mediaSettings } from './settings/media.ts';
import { accountSettings, stripeSettings } from './settings/money.ts';
import { providerSettings } from './settings/providers.ts';
import { pushSettings } from './settings/push.ts';
import { realtimeSettings } from './settings/realtime.ts';
import { retentionSettings } from './settings/retention.ts';
import { processSettings, serverSettings } from './settings/server.ts';
import { telephonySettings, webhookSettings } from './settings/telephony.ts';

export type { Setting } from './settings/setting.ts';

/**
 * All settings, by the name of their environment variable. Each has the schema of its value, its text in `--help` and its default. Each
 * subject has a file in settings/. `--help` and the documentation list the settings in this order.
 */
export const settings = {
  ...serverSettings,
  ...mediaSettings,
  ...realtimeSettings,
  ...apiSettings,
  ...accountSettings,
  ...telephonySettings,
  ...stripeSettings,
  ...fileSettings,
  ...retentionSettings,
  ...identitySettings,
  ...webhookSettings,
  ...providerSettings,
  ...pushSettings,
  ...processSettings,
};

export type Values = { [Name in keyof typeof settings]: z.output<(typeof settings)[Name]['schema']> };
