import { createECDH } from 'node:crypto';
import type { Secrets } from '../../platform/secrets.ts';

/** The keys that identify this server to push services (RFC 8292), both in base64url. */
export type VapidKeys = ReturnType<typeof vapidKeys>;

/** Derives the keys from the lasting secret, so that all nodes have the same keys and subscriptions survive a restart. */
export function vapidKeys(secrets: Secrets) {
  const curve = createECDH('prime256v1');
  for (let attempt = 0; ; attempt++) {
    const privateKey = secrets.lasting(`VAPID ${attempt}`);
    try {
      curve.setPrivateKey(privateKey);
    } catch {
      // About one in four billion values of 32 bytes is not a valid key of this curve.
      continue;
    }
    return { publicKey: curve.getPublicKey('base64url'), privateKey: privateKey.toString('base64url') };
  }
}
