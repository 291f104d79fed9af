import type { z } from 'zod';

/* Turns zod's issues into messages for the person who reads the error. */

const kinds: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

const formats: Record<string, string> = {
  email: 'an e-mail address',
  url: 'an address that begins with https:// or http://',
  datetime: 'a time such as 2026-11-20T12:00:00.000Z',
  date: 'a date such as 2026-11-20',
};

const units: Record<string, string> = { string: 'characters', array: 'items', set: 'items' };

/** @returns undefined to use zod's own message */
export function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is required';
      return `must be ${kinds[issue.expected] ?? issue.expected}`;
    case 'too_small':
      if (issue.origin === 'string' && Number(issue.minimum) === 1) return 'must not be empty';
      return atLeast(issue.origin, String(issue.minimum), issue.inclusive !== false);
    case 'too_big':
      return atMost(issue.origin, String(issue.maximum), issue.inclusive !== false);
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`;
    case 'invalid_format':
      return formats[issue.format] && `must be ${formats[issue.format]}`;
    default:
      return undefined;
  }
}

function atLeast(origin: string, bound: string, inclusive: boolean): string {
  const unit = units[origin];
  if (unit) return `must have at least ${bound} ${unit}`;
  return inclusive ? `must be ${bound} or more` : `must be more than ${bound}`;
}

function atMost(origin: string, bound: string, inclusive: boolean): string {
  const unit = units[origin];
  if (unit) return `must have at most ${bound} ${unit}`;
  return inclusive ? `must be ${bound} or less` : `must be less than ${bound}`;
}
