import type { EventCipher } from '../../platform/SealedEvents.ts';
import { seal, unseal } from '../../platform/seal.ts';
import type { Secrets } from '../../platform/secrets.ts';

/** Creates the cipher for the events that nodes exchange through Redis. Its key is used for nothing else. */
export function eventCipher(secrets: Pick<Secrets, 'derive'>): EventCipher {
  const key = secrets.derive('events between nodes');
  return {
    seal: (text, place) => seal(text, key, place),
    unseal: (bytes, place) => unseal(bytes, key, place),
  };
}
