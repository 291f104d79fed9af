import type { Route } from '../http/Route.ts';

type Json = Record<string, unknown>;

const text = { type: 'string' };
const whole = { type: 'integer' };
const described = (schema: Json, description: string): Json => ({ ...schema, description });

const tooFew = {
  creditsRequired: described(whole, 'Credits that the request costs.'),
  creditsAvailable: described(whole, 'Credits that the account has.'),
  resetsAt: described(text, 'When the quota begins again.'),
};
const wait = { retryAfter: described(whole, 'Seconds to wait before the next try.') };
const headers: Record<string, Json> = {
  'Retry-After': { description: 'Seconds to wait.', schema: whole },
  'WWW-Authenticate': { description: 'Bearer', schema: text },
  'PAYMENT-REQUIRED': {
    description:
      'What the request costs, and how to pay for it (x402 version 2), in base64. Where it may be paid by itself.',
    schema: text,
  },
};

/** A refusal: what `error` may be, the members it has besides those of Error, and the headers it comes with. */
function refusal(
  description: string,
  errors: [string, ...string[]],
  members: Record<string, Json> = {},
  named: string[] = [],
): Json {
  const more = { type: 'object', properties: { error: { description: 'Why.', enum: errors }, ...members } };
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

/** By the name operations refer to them by. */
export const refusals = {
  Error: {
    description: 'Refused, or failed: `error` says why.',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  },
  BadRequest: refusal('The request could not be read.', [
    'invalid_request',
    'invalid_json',
    'ambiguous_credentials',
  ]),
  Unauthorized: refusal(
    'There is no credential, or it is not good.',
    [
      ...(['missing_credentials', 'invalid_api_key', 'api_key_revoked', 'api_key_expired'] as const),
      ...(['invalid_token', 'token_expired'] as const),
    ],
    {},
    ['WWW-Authenticate'],
  ),
  PaymentRequired: refusal(
    'The account has too few credits, or its plan’s quota is used up.',
    ['insufficient_credits', 'quota_exceeded'],
    tooFew,
  ),
  PaymentRequiredOrPay: refusal(
    'There is neither a credential nor a good payment, or the account has too few credits.',
    ['payment_required', 'payment_failed', 'insufficient_credits', 'quota_exceeded'],
    {
      reason: described(text, 'Why a payment was not accepted (x402’s own names).'),
      accepts: {
        type: 'array',
        items: { type: 'object' },
        description: 'How the request may be paid: PaymentRequirements of x402 version 2.',
      },
      ...tooFew,
    },
    ['PAYMENT-REQUIRED'],
  ),
  Forbidden: refusal(
    'The credential is good, and may not do this. `required` is the scope it lacks.',
    ['missing_scope', 'session_required', 'access_denied'],
    { required: described(text, 'The scope that the key lacks.') },
  ),
  NotFound: refusal('There is no such thing in this account.', ['not_found'], {
    resource: described(text, 'What was asked for.'),
  }),
  Conflict: refusal('It does not go with how things are now.', [
    ...(['conflict', 'idempotency_in_progress', 'number_unavailable', 'number_not_active'] as const),
    ...(['number_released', 'username_taken', 'out_of_stock'] as const),
  ]),
  Invalid: refusal('A field is missing, unknown or wrong: `details` names each.', [
    ...(['validation_failed', 'idempotency_key_reused', 'recipient_opted_out'] as const),
    ...(['unsupported_destination', 'unsupported_country', 'regulatory_requirements'] as const),
    ...(['from_required', 'use_us_route', 'invalid_url', 'url_not_allowed'] as const),
  ]),
  TooMany: refusal('Too many requests.', ['rate_limit_exceeded', 'too_many_verifications'], wait, [
    'Retry-After',
  ]),
  Failed: refusal('Something failed on the server.', ['internal_error']),
  Upstream: refusal('A provider failed.', ['upstream_error']),
  Unavailable: refusal(
    'This server has no such service, or a part of it is away.',
    ['service_unavailable', 'no_pool_number'],
    wait,
    ['Retry-After'],
  ),
};

/** What a route may answer besides what it is for. */
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
