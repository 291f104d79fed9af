import type { Request } from 'express';
import { z } from 'zod';
import { safeParse } from '../../sdk/protocol/common.ts';
import { validationError } from '../../platform/errors.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { Principal, RequestOrigin } from './Principal.ts';
import { badField } from './refusals.ts';
import type { Route, RouteContext } from './Route.ts';

/** The validated request for the route's handler. @throws ParleyError VALIDATION_ERROR that lists all invalid fields */
export function contextOf(
  row: Route,
  request: Request,
  origin: RequestOrigin,
  principal: Principal | null,
): RouteContext<unknown, unknown, unknown> {
  return {
    body: row.raw
      ? (request.body as unknown)
      : validate(row.body ?? (request.body === undefined ? undefined : nothing), request.body),
    query: validateQuery(row.query ?? (hasQuery(request) ? nothing : undefined), request.query),
    params: validate(row.params, request.params),
    principal,
    origin,
    charge: null,
    answer: { status: row.status },
    request,
    // Created on first use, which costs more than most requests: read it only to write a line.
    get log() {
      return request.log;
    },
  };
}

/** The schema of routes without fields: any field is refused. */
const nothing = z.strictObject({});
const hasQuery = (request: Request) => request.originalUrl.includes('?');

const plusHint = '; a + in an address means a space, so write it as %2B';

/**
 * The error says so if a field is given more than once, or has a plus sign that is not encoded: it arrives as a space, in a phone number or
 * in a time with an offset.
 */
function validateQuery(schema: z.ZodType | undefined, given: Request['query']): unknown {
  try {
    return validate(schema, given);
  } catch (error) {
    if (!(error instanceof ParleyError)) throw error;
    const repeated = error.details?.find(
      ({ path, code }) => Array.isArray(given[path]) && code !== 'unknown_field',
    );
    if (repeated) throw badField(repeated.path, repeated.code, 'is given more than once: give it once');
    const meant = Object.entries(given).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.replaceAll(' ', '+') : value,
    ]);
    const isPlus = schema && safeParse(schema, Object.fromEntries(meant)).success;
    if (!isPlus) throw error;
    const details = error.details?.map((detail) => ({ ...detail, message: `${detail.message}${plusHint}` }));
    throw new ParleyError(error.code, `${error.message}${plusHint}`, { details });
  }
}

function validate(schema: z.ZodType | undefined, given: unknown): unknown {
  if (!schema) return undefined;
  const parsed = safeParse(schema, given);
  if (parsed.success) return parsed.data;
  const refusal = validationError(parsed.error);
  if (given !== undefined) throw refusal;
  // Query and path are always there.
  const { details } = refusal;
  throw new ParleyError('VALIDATION_ERROR', 'This request needs a body: send its fields as JSON.', {
    details,
  });
}
