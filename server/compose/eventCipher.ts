import type { EventCipher } from '../../platform/SealedEvents.ts';
import { seal, unseal } from '../../platform/seal.ts';
import type { Secrets } from '../../platform/secrets.ts';

/** Seals the events that nodes exchange through Redis, with a separate key. */
export function eventCipher(secrets: Pick<Secrets, 'derive'>): EventCipher {
  const key = secrets.derive('events between nodes');
  return {
    seal: (text, place) => seal(text, key, place),
    unseal: (bytes, place) => unseal(bytes, key, place),
  };
}
