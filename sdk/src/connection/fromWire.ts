import type { FromWire } from '../../protocol/common.ts';
import { dateFields } from './dateFields.ts';

const isoDate = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Converts a response or event for the app: times become Dates, and `revision` is removed, because only the SDK needs it. */
export function fromWire<T>(value: T): FromWire<T> {
  return revive(value) as FromWire<T>;
}

function revive(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(revive);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'revision')
      .map(([key, field]) => [
        key,
        typeof field === 'string' && dateFields.has(key) && isoDate.test(field)
          ? new Date(field)
          : revive(field),
      ]),
  );
}
