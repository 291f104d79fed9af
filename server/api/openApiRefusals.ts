import type { Route } from '../http/Route.ts';

type Json = Record<string, unknown>;

const text = { type: 'string' };
const whole = { type: 'integer' };
const described = (schema: Json, description: string): Json => ({ ...schema, description });

const tooFew = {
  creditsRequired: described(whole, 'Cost of the request in credits.'),
  creditsAvailable: described(whole, 'Available credits of the account.'),
  resetsAt: described(text, 'Time at which the quota is renewed.'),
};
const wait = { retryAfter: described(whole, 'Seconds to wait before the next attempt.') };
const headers: Record<string, Json> = {
  'Retry-After': { description: 'Seconds to wait.', schema: whole },
  'WWW-Authenticate': { description: 'Bearer', schema: text },
  'PAYMENT-REQUIRED': {
    description:
      'The cost of the request and the ways to pay for it (x402 version 2), in base64. Only on routes that can be paid per request.',
    schema: text,
  },
};

/**
 * Creates an error response.
 * @param errors the possible values of `error`
 * @param members members of the body besides those of Error
 * @param named names of headers besides X-Request-Id
 */
function refusal(
  description: string,
  errors: [string, ...string[]],
  members: Record<string, Json> = {},
  named: string[] = [],
): Json {
  const more = {
    type: 'object',
    properties: { error: { description: 'Reason of the error.', enum: errors }, ...members },
  };
  const example = { error: errors[0], message: description, requestId: `req_${'0'.repeat(24)}` };
  return {
    description,
    headers: Object.fromEntries(
      [...named, 'X-Request-Id'].map((name) => [name, headers[name] ?? { schema: text }]),
    ),
    content: {
      'application/json': { schema: { allOf: [{ $ref: '#/components/schemas/Error' }, more] }, example },
    },
  };
}

/** The error responses, by the names under which operations refer to them. */
export const refusals = {
  Error: {
    description: 'The request was refused or failed. `error` names the reason.',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  },
  BadRequest: refusal('The request could not be read.', [
    'invalid_request',
    'invalid_json',
    'ambiguous_credentials',
  ]),
  Unauthorized: refusal(
    'The credential is missing or not valid.',
    [
      ...(['missing_credentials', 'invalid_api_key', 'api_key_revoked', 'api_key_expired'] as const),
      ...(['invalid_token', 'token_expired'] as const),
    ],
    {},
    ['WWW-Authenticate'],
  ),
  PaymentRequired: refusal(
    'The account has too few credits, or the quota of its plan is used up.',
    ['insufficient_credits', 'quota_exceeded'],
    tooFew,
  ),
  PaymentRequiredOrPay: refusal(
    'The request has neither a credential nor a valid payment, or the account has too few credits.',
    ['payment_required', 'payment_failed', 'insufficient_credits', 'quota_exceeded'],
    {
      reason: described(text, 'Reason for which the payment was refused, as named by x402.'),
      accepts: {
        type: 'array',
        items: { type: 'object' },
        description: 'Ways to pay for the request: PaymentRequirements of x402 version 2.',
      },
      ...tooFew,
    },
    ['PAYMENT-REQUIRED'],
  ),
  Forbidden: refusal(
    'The credential is valid but not allowed to do this. `required` names a missing scope.',
    ['missing_scope', 'session_required', 'access_denied'],
    { required: described(text, 'The missing scope.') },
  ),
  NotFound: refusal('The resource does not exist in this account.', ['not_found'], {
    resource: described(text, 'Kind of the missing resource.'),
  }),
  Conflict: refusal('The request conflicts with the current state of the resource.', [
    ...(['conflict', 'idempotency_in_progress', 'number_unavailable', 'number_not_active'] as const),
    ...(['number_released', 'username_taken', 'out_of_stock'] as const),
  ]),
  Invalid: refusal('A field is missing, unknown or not valid. `details` lists each of them.', [
    ...(['validation_failed', 'idempotency_key_reused', 'recipient_opted_out'] as const),
    ...(['unsupported_destination', 'unsupported_country', 'regulatory_requirements'] as const),
    ...(['from_required', 'use_us_route', 'invalid_url', 'url_not_allowed'] as const),
  ]),
  TooMany: refusal('Too many requests.', ['rate_limit_exceeded', 'too_many_verifications'], wait, [
    'Retry-After',
  ]),
  Failed: refusal('The server failed.', ['internal_error']),
  Upstream: refusal('A provider failed.', ['upstream_error']),
  Unavailable: refusal(
    'The service is not configured, or it is temporarily unavailable.',
    ['service_unavailable', 'no_pool_number'],
    wait,
    ['Retry-After'],
  ),
};

/** References to the error responses that a route may give. */
export function refusalsOf(row: Route): Json {
  const spends = row.price !== null || row.payerPrice !== null;
  const asks = row.credential !== 'none';
  const answers: [number, keyof typeof refusals, boolean][] = [
    [400, 'BadRequest', true],
    [401, 'Unauthorized', asks],
    [402, row.x402 ? 'PaymentRequiredOrPay' : 'PaymentRequired', spends],
    [403, 'Forbidden', asks],
    [404, 'NotFound', asks],
    [409, 'Conflict', row.method !== 'get'],
    [422, 'Invalid', true],
    [429, 'TooMany', true],
    [500, 'Failed', true],
    [502, 'Upstream', spends],
    [503, 'Unavailable', true],
  ];
  return Object.fromEntries(
    answers
      .filter(([status, , applies]) => applies && status !== row.status)
      .map(([status, name]) => [status, { $ref: `#/components/responses/${name}` }]),
  );
}
