import { httpReasons, realtimeReasons } from '../../sdk/protocol/reasons.ts';
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
const ofRules = {
  reason: described(
    text,
    `A more specific reason, if the rules of rooms and streams refuse the request:\n${listOf(Object.entries(realtimeReasons))}`,
  ),
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

function listOf(reasons: (readonly [string, string])[]): string {
  return reasons.map(([name, meaning]) => `- \`${name}\`: ${meaning}`).join('\n');
}

/**
 * Creates an error response. Its `error` may have every reason of the status.
 * @param members members of the body besides those of Error
 * @param named names of headers besides X-Request-Id
 */
function refusal(
  description: string,
  status: number,
  members: Record<string, Json> = {},
  named: string[] = [],
) {
  const reasons = Object.entries(httpReasons).filter(
    ([name, [given]]) =>
      given === status && (!name.startsWith('payment_') || named.includes('PAYMENT-REQUIRED')),
  );
  const error = {
    description: listOf(reasons.map(([name, [, meaning]]) => [name, meaning])),
    enum: reasons.map(([name]) => name),
  };
  const more = { type: 'object', properties: { error, ...members } };
  return {
    body: { allOf: [{ $ref: '#/components/schemas/ErrorBody' }, more] },
    example: { error: error.enum[0], message: description, requestId: `req_${'0'.repeat(24)}` },
    response: {
      description,
      headers: Object.fromEntries(
        [...named, 'X-Request-Id'].map((name) => [name, headers[name] ?? { schema: text }]),
      ),
    },
  };
}

const kinds = {
  BadRequest: refusal('The request could not be read.', 400),
  Unauthorized: refusal('The credential is missing or not valid.', 401, {}, ['WWW-Authenticate']),
  PaymentRequired: refusal(
    'The account has too few credits, or the quota of its plan is used up.',
    402,
    tooFew,
  ),
  PaymentRequiredOrPay: refusal(
    'The request has neither a credential nor a valid payment, or the account has too few credits.',
    402,
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
    403,
    { required: described(text, 'The missing scope.'), ...ofRules },
  ),
  NotFound: refusal('The resource does not exist in this account.', 404, {
    resource: described(text, 'Kind of the missing resource.'),
  }),
  Conflict: refusal('The request conflicts with the current state of the resource.', 409, ofRules),
  Invalid: refusal('A field is missing, unknown or not valid. `details` lists each of them.', 422),
  TooMany: refusal('Too many requests.', 429, wait, ['Retry-After']),
  Failed: refusal('The server failed.', 500),
  Upstream: refusal('A provider failed.', 502),
  Unavailable: refusal('The service is not configured, or it is temporarily unavailable.', 503, wait, [
    'Retry-After',
  ]),
};

const byName = Object.entries(kinds);
const json = (schema: Json, example?: Json) => ({
  'application/json': { schema, ...(example && { example }) },
});

/** The schemas of the bodies of refusals, by their names. */
export const refusalBodies = Object.fromEntries(byName.map(([name, { body }]) => [`${name}Error`, body]));

/** The error responses, by the names under which operations refer to them. */
export const refusals: Record<string, Json> = {
  Error: {
    description: 'The request was refused or failed. `error` names the reason.',
    content: json({ $ref: '#/components/schemas/ErrorBody' }),
  },
  ...Object.fromEntries(
    byName.map(([name, { response, example }]) => [
      name,
      { ...response, content: json({ $ref: `#/components/schemas/${name}Error` }, example) },
    ]),
  ),
};

/** References to the error responses that a route may give. */
export function refusalsOf(row: Route): Json {
  const spends = row.price !== null || row.payerPrice !== null;
  const asks = row.credential !== 'none';
  const answers: [number, keyof typeof kinds, boolean][] = [
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
