import { inTime } from '../../../platform/inTime.ts';
import { CarrierError } from './CarrierError.ts';

const late = () => new CarrierError('unknown', 'unknown_outcome', 'The carrier did not answer in time.');

/**
 * Waits for work of the carrier, but only for the given time.
 * @throws CarrierError `unknown` if the time runs out; the carrier may still finish the work
 */
export const within = <T>(limitMs: number, work: Promise<T>): Promise<T> => inTime(limitMs, work, late);
