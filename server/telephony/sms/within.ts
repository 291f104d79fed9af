import { setTimeout as delay } from 'node:timers/promises';
import { CarrierError } from './CarrierError.ts';

/**
 * Waits for work of the carrier, but only for the given time.
 * @throws CarrierError `unknown` if the time runs out; the carrier may still finish the work
 */
export async function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  const done = new AbortController();
  const late = delay(limitMs, undefined, { signal: done.signal, ref: false }).then(() => {
    throw new CarrierError('unknown', 'unknown_outcome', 'The carrier did not answer in time.');
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    done.abort();
    late.catch(() => undefined);
    work.catch(() => undefined);
  }
}
