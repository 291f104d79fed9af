import type { FromWire } from '../../protocol/common.ts';

const isMoment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Fields that hold a moment, in every message: `startedAt`, `previousSecretUntil`, `timestamp` … Text that people write never lies in such a field. */
const holdsMoment = (key: string) =>
  /(At|Until)$/.test(key) || /^(at|timestamp|from|to|currentPeriod(Start|End))$/.test(key);

/** Turns the moments in an answer or event into Dates, and leaves out what only the SDK needs (`revision`). */
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
        typeof field === 'string' && holdsMoment(key) && isMoment.test(field)
          ? new Date(field)
          : revive(field),
      ]),
  );
}
