import { z } from 'zod';
import { errorBody } from '../../sdk/protocol/http.ts';
import { Components, toSchema, type Json } from './openApiSchemas.ts';
import { serverVersion } from './serverVersion.ts';
import { exampleOf } from './openApiExample.ts';
import { refusalBodies, refusals, refusalsOf } from './openApiRefusals.ts';
import type { Route } from '../http/Route.ts';

const json = (schema: Json) => ({ 'application/json': { schema, example: exampleOf(schema) } });

/** The route table as an OpenAPI 3.1 document. */
export function openApi(routes: Route[], publicUrl: string): Json {
  const operations = routes.map(operation);
  const components = new Components();
  components.refer(toSchema(errorBody, 'output'));
  // The answers first: a request that leaves out what has a default is the other form of a schema.
  for (const each of operations) each.responses = components.refer(each.responses);
  for (const each of operations) each.requestBody = components.refer(each.requestBody, 'Input');
  const paths: Record<string, Json> = {};
  for (const [index, row] of routes.entries()) {
    const path = row.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [row.method]: operations[index] };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Parley',
      version: serverVersion,
      description:
        'Accounts, API keys, rooms and telephony of a Parley server. Credits are whole numbers; one credit is one US cent.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: `${publicUrl}/api/v1` }],
    externalDocs: {
      description: 'Reference of the SDK and of the realtime protocol',
      url: `${publicUrl}/docs/reference/`,
    },
    tags: [...new Set(routes.map(tagOf))].map((name) => ({ name })),
    paths,
    components: {
      schemas: { ...components.schemas, ...refusalBodies },
      responses: refusals,
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: svc_live_…' },
        session: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'The access token of a session.',
        },
        x402: {
          type: 'apiKey',
          in: 'header',
          name: 'PAYMENT-SIGNATURE',
          description: 'A payment for this request (x402 version 2), if the server accepts such payments.',
        },
      },
    },
  };
}

function operation(row: Route): Json {
  return {
    operationId: `${row.method}${row.path.replace(/[^a-zA-Z]+(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
    summary: row.summary,
    ...(row.scope || row.price ? { description: notesOf(row) } : {}),
    tags: [tagOf(row)],
    security: [...securityOf(row), ...(row.x402 ? [{ x402: [] }] : [])],
    ...(row.scope ? { 'x-required-scope': row.scope } : {}),
    ...parametersOf(row),
    ...bodyOf(row),
    responses: {
      ...answersOf(row),
      ...refusalsOf(row),
      default: { $ref: '#/components/responses/Error' },
    },
  };
}

function bodyOf({ body, stream, raw }: Route): Json {
  if (body) {
    const required = !body.safeParse(undefined).success;
    return { requestBody: { required, content: json(toSchema(body, 'input')) } };
  }
  if (stream) return { requestBody: { content: { 'application/octet-stream': {} } } };
  return raw ? { requestBody: { required: true, content: { 'application/json': {} } } } : {};
}

/** The answers that are no errors. */
function answersOf(row: Route): Json {
  const meanings = { [row.status]: 'The request succeeded.', ...row.otherStatuses };
  const headers = { 'X-Request-Id': { schema: { type: 'string' } } };
  return Object.fromEntries(
    Object.entries(meanings).map(([status, description]) => [
      status,
      { description, headers, ...(Number(status) < 300 ? contentOf(row) : {}) },
    ]),
  );
}

/** The content of the answer: none with 204, and any type for files. */
function contentOf({ status, response }: Route): Json {
  if (status === 204) return {};
  return { content: response instanceof z.ZodUnknown ? { '*/*': {} } : json(toSchema(response, 'output')) };
}

const tagOf = ({ path }: Route) => path.split('/', 2)[1] ?? '';

function notesOf({ scope, price, x402 }: Route): string {
  return [
    scope && `An API key needs the scope \`${scope}\`.`,
    price && `Costs ${price.rate ? 'at least ' : ''}${price.credits} credits per ${price.unit}.`,
    x402 && 'Can be paid per request (x402), if the server accepts such payments.',
  ]
    .filter(Boolean)
    .join(' ');
}

function securityOf({ credential, scope }: Route): Json[] {
  // Since OpenAPI 3.1, a scheme may list required roles even if it is not OAuth2.
  const key = { apiKey: scope ? [scope] : [] };
  switch (credential) {
    case 'none':
      return [];
    case 'optional':
      return [{}, ...(scope ? [key] : []), { session: [] }];
    case 'account':
      return [key, { session: [] }];
    case 'session':
    case 'dashboard':
    case 'operator':
      return [{ session: [] }];
  }
}

function parametersOf(row: Route): Json {
  const parameters = [
    ...(row.params ? fieldsOf(row.params, 'path') : []),
    ...(row.query ? fieldsOf(row.query, 'query') : []),
    ...(row.idempotent ? [idempotencyKey(row)] : []),
  ];
  return parameters.length > 0 ? { parameters } : {};
}

const idempotencyKey = ({ x402 }: Route) => ({
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: [
    'Makes the request safe to repeat: for 24 hours, the same request with the same key gets the first answer again.',
    ...(x402
      ? ['A payer (x402) gets it without paying again, with the same payment or with a new one.']
      : []),
  ].join(' '),
  schema: { type: 'string', minLength: 1, maxLength: 255 },
});

function fieldsOf(schema: z.ZodType, place: 'path' | 'query'): Json[] {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return Object.entries(properties).map(([name, field]) => ({
    name,
    in: place,
    ...describe(field as Json, place === 'path' || required.includes(name)),
  }));
}

/**
 * Moves the description from a parameter's schema to the parameter, where OpenAPI expects it. The example of an optional one stays in its
 * schema, because the page `/docs` fills in the examples of parameters: a list would be asked for with a cursor that does not exist.
 */
function describe(schema: Json, required: boolean): Json {
  const { description, ...rest } = schema;
  const example = exampleOf(schema);
  return required
    ? { required, description, schema: rest, example }
    : { required, description, schema: { ...rest, examples: [example] } };
}
