import type { Config } from '../config/config.ts';
import { ApnsDriver } from '../push/ApnsDriver.ts';
import { FcmDriver } from '../push/FcmDriver.ts';
import { PushServices, type PushDrivers } from '../push/PushServices.ts';
import { vapidKeys } from '../push/vapidKeys.ts';
import { WebPushDriver } from '../push/WebPushDriver.ts';
import { ownAddresses } from '../outgoing/addressRules.ts';
import { OutsideClient } from '../outgoing/OutsideClient.ts';
import type { Secrets } from '../../platform/secrets.ts';

/** Creates the configured push services. */
export function createPush(config: Config, secrets: Secrets, publicUrl: string): PushServices {
  const keys = vapidKeys(secrets);
  const { PUSH: used, FCM_SERVICE_ACCOUNT: account } = config;
  const drivers: PushDrivers = {};
  if (used.includes('web'))
    drivers.web = new WebPushDriver({
      keys,
      subject: config.VAPID_SUBJECT ?? subjectFor(publicUrl),
      outside: new OutsideClient({
        allowLoopback: config.PUSH_ALLOW_LOOPBACK,
        own: ownAddresses(publicUrl, config.MEDIA_ANNOUNCED_ADDRESS),
      }),
    });
  if (used.includes('fcm') && account) drivers.fcm = new FcmDriver({ account, baseUrl: config.FCM_API_BASE });
  const { APNS_KEY: key, APNS_KEY_ID: keyId, APNS_TEAM_ID: teamId, APNS_TOPIC: topic } = config;
  if (used.includes('apns') && key && keyId && teamId && topic)
    drivers.apns = new ApnsDriver({ key, keyId, teamId, topic, baseUrl: config.APNS_API_BASE });
  return new PushServices(drivers, drivers.web ? keys.publicKey : null);
}

/** The contact that Web Push requires. A server without a public https URL uses a mail address that does not exist. */
const subjectFor = (publicUrl: string) =>
  publicUrl.startsWith('https:') ? publicUrl : 'mailto:operator@parley.invalid';
