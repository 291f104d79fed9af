import { createECDH } from 'node:crypto';
import type { Secrets } from '../../platform/secrets.ts';

/** What names this server to push services (RFC 8292); both in base64url. */
export interface VapidKeys {
  publicKey: string;
  privateKey: string;
}

/** Derived like every other key, so that all nodes have the same and a restart keeps every subscription. */
export function vapidKeys(secrets: Secrets): VapidKeys {
  const curve = createECDH('prime256v1');
  for (let attempt = 0; ; attempt++) {
    const privateKey = secrets.derive(`VAPID ${attempt}`);
    try {
      curve.setPrivateKey(privateKey);
    } catch {
      // One in four thousand million numbers of 32 bytes is no key of this curve.
      continue;
    }
    return { publicKey: curve.getPublicKey('base64url'), privateKey: privateKey.toString('base64url') };
  }
}
