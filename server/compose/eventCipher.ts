import type { EventCipher } from '../../platform/SealedEvents.ts';
import { sealerFor } from '../../platform/seal.ts';
import type { Secrets } from '../../platform/secrets.ts';

/** Creates the cipher for the events that nodes exchange through Redis. Its keys are used for nothing else. */
export const eventCipher = (secrets: Pick<Secrets, 'keys'>): EventCipher =>
  sealerFor(secrets.keys('events between nodes'));
