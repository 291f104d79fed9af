import type { EventCipher } from '../../platform/SealedEvents.ts';
import { sealerFor } from '../../platform/seal.ts';
import type { Secrets } from '../../platform/secrets.ts';

/** Creates the cipher for the events that nodes exchange through Redis. Its key is used for nothing else. */
export const eventCipher = (secrets: Pick<Secrets, 'derive'>): EventCipher =>
  sealerFor(secrets.derive('events between nodes'));
