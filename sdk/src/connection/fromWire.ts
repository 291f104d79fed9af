import type { FromWire } from '../../protocol/common.ts';

const isoDate = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/**
 * Whether a field contains a time: `startedAt`, `previousSecretUntil`, `timestamp` … No field with such a name contains text from
 * users.
 */
const isTimeField = (key: string) =>
  /(At|Until)$/.test(key) || /^(at|timestamp|from|to|currentPeriod(Start|End))$/.test(key);

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
        typeof field === 'string' && isTimeField(key) && isoDate.test(field)
          ? new Date(field)
          : revive(field),
      ]),
  );
}
