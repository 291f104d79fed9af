import { z } from 'zod';
import { apiUrl, apnsKey, contact, flag, list, matching, serviceAccount } from '../settingKinds.ts';
import { setting } from './setting.ts';

const appleId = matching(/^\w{10}$/, 'use the 10 characters Apple shows');

/** Push services. */
export const pushSettings = {
  PUSH: setting(
    list.pipe(z.array(z.enum(['web', 'fcm', 'apns']))),
    'push services that notify devices without an open app, comma-separated: web (browsers), fcm (Android), apns (iPhones)',
    'web',
  ),
  PUSH_ALLOW_LOOPBACK: setting(flag, 'allows Web Push to this machine; for tests', 'false'),
  VAPID_SUBJECT: setting(
    contact.optional(),
    'contact of the operator for the push services of browsers (mailto:… or https://…); defaults to PUBLIC_URL if that is https',
  ),
  FCM_SERVICE_ACCOUNT: setting(
    serviceAccount.optional(),
    'service account of a Firebase project: its JSON, or the path of the JSON file',
  ),
  FCM_API_BASE: setting(apiUrl, 'base URL of FCM', 'https://fcm.googleapis.com'),
  APNS_KEY: setting(apnsKey.optional(), 'APNs key of the app: the content of the .p8 file, or its path'),
  APNS_KEY_ID: setting(appleId.optional(), 'id of the APNs key'),
  APNS_TEAM_ID: setting(appleId.optional(), 'id of the Apple developer team'),
  APNS_TOPIC: setting(
    matching(/^[\w.-]{1,128}$/, 'use a bundle id (org.example.app)').optional(),
    'bundle id of the app',
  ),
  APNS_API_BASE: setting(
    apiUrl,
    'base URL of APNs; https://api.sandbox.push.apple.com for development builds',
    'https://api.push.apple.com',
  ),
};
