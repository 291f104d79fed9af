import { Validator } from '@seriousme/openapi-schema-validator';
import type { z } from 'zod';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyScopes } from '../../../sdk/protocol/http.ts';
import { routeTable, type Services } from '../../../server/api/routes.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { api, newCustomer, newKey } from '../money/accountSupport.ts';
import { ask, bearer } from '../support.ts';

type Json = Record<string, unknown>;
interface Operation extends Json {
  operationId: string;
  requestBody?: { required?: boolean; content: Record<string, { schema: Json; example: unknown }> };
  responses: Record<string, { content?: Record<string, { schema?: Json; example: unknown }> }>;
  parameters?: {
    name: string;
    in: string;
    required: boolean;
    description?: string;
    schema: { examples?: unknown[] };
    example?: unknown;
  }[];
}
interface Document extends Json {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
}

const schemasOf = (of: Document) => (of.components as { schemas: Record<string, Json> }).schemas;

let server: ServerProcess;
let document: Document;

beforeAll(async () => {
  server = await ServerProcess.start();
  document = (await api(server.url, 'GET', '/openapi.json')).body as Document;
});
afterAll(() => server?.dispose());

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    const result = await validator.validate(structuredClone(document));
    expect(result.errors ?? []).toEqual([]);
    expect([result.valid, validator.version]).toEqual([true, '3.1']);
    // The validator rejects invalid documents.
    const broken = { ...structuredClone(document), paths: { '/x': { get: { responses: 'none' } } } };
    expect((await new Validator().validate(broken)).valid).toBe(false);
  });

  it('has exactly the rows of the route table', () => {
    const documented = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
    );
    const rows = routeTable({ identity: {}, billing: {} } as Services).map(
      ({ method, path }) => `${method} ${path}`,
    );
    expect(documented.sort()).toEqual(rows.sort());
    const ids = Object.values(document.paths).flatMap((item) =>
      Object.values(item).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('documents the errors of each route and its required scope', () => {
    const { responses } = document.components as { responses: Record<string, { headers?: Json }> };
    for (const row of routeTable({ identity: {}, billing: {} } as Services)) {
      const operation = document.paths[row.path.replace(/:(\w+)/g, '{$1}')]?.[row.method];
      const statuses = Object.keys(operation?.responses ?? {});
      const always = ['400', '422', '429', '500', '503', 'default'];
      const guarded = row.credential === 'none' ? [] : ['401', '403', '404'];
      const paid = row.price || row.payerPrice ? ['402', '409', '502'] : [];
      expect([row.path, statuses]).toEqual([
        row.path,
        expect.arrayContaining([...always, ...guarded, ...paid]),
      ]);
      if (row.scope) expect(operation?.security).toContainEqual({ apiKey: [row.scope] });
    }
    const refs = JSON.stringify(document).match(/#\/components\/responses\/(\w+)/g) ?? [];
    expect(new Set(refs.map((ref) => ref.split('/').at(-1)))).toEqual(new Set(Object.keys(responses)));
    expect(responses.PaymentRequiredOrPay?.headers).toHaveProperty('PAYMENT-REQUIRED');
    expect(document.paths['/verifications/check']?.post?.security).toEqual([
      {},
      { apiKey: ['verifications:start'] },
      { session: [] },
    ]);
  });

  it('names the schema of each request and answer with members, for the types of generated clients', () => {
    const unnamed: string[] = [];
    for (const [path, item] of Object.entries(document.paths))
      for (const [method, { requestBody, responses }] of Object.entries(item))
        for (const body of [requestBody, ...Object.values(responses)]) {
          const { $ref, properties } = body?.content?.['application/json']?.schema ?? {};
          if (!$ref && Object.keys(properties ?? {}).length > 0) unnamed.push(`${method} ${path}`);
        }
    expect(unnamed).toEqual([]);
    const names = Object.keys(schemasOf(document));
    expect(names).toEqual(
      expect.arrayContaining(['Room', 'Stream', 'OwnNumber', 'CreateRoom', 'GateConfig']),
    );
    const used = JSON.stringify(document).matchAll(/#\/components\/schemas\/(\w+)/g);
    expect(new Set([...used].map(([, name]) => name))).toEqual(new Set(names));
    expect(JSON.stringify(document)).not.toContain('x-name');
  });

  it('describes every parameter and every property', () => {
    const undescribed: string[] = [];
    const read = (schema: Json, where: string) => {
      for (const [name, field] of Object.entries((schema.properties ?? {}) as Record<string, Json>)) {
        const isDescribed = (one: Json): boolean =>
          Boolean(one.description) || ((one.anyOf ?? []) as Json[]).some(isDescribed);
        if (!isDescribed(field)) undescribed.push(`${where} ${name}`);
        read(field, `${where} ${name}`);
      }
      for (const keyword of ['anyOf', 'oneOf', 'allOf'])
        for (const one of (schema[keyword] ?? []) as Json[]) read(one, where);
      for (const keyword of ['items', 'additionalProperties'])
        if (typeof schema[keyword] === 'object') read(schema[keyword] as Json, where);
    };
    const bodies = (found: unknown, where: string): void => {
      if (typeof found !== 'object' || found === null) return;
      for (const [name, inner] of Object.entries(found)) {
        if (name === 'schema' || where.endsWith('schemas')) read(inner as Json, where);
        else bodies(inner, `${where}/${name}`);
      }
    };
    bodies(document, '');
    for (const [path, item] of Object.entries(document.paths))
      for (const { parameters = [] } of Object.values(item))
        for (const { name, description } of parameters)
          if (!description) undescribed.push(`${path} ?${name}`);
    expect(undescribed).toEqual([]);
  });

  it('has a valid example of every request and response', () => {
    const wrong: unknown[] = [];
    const check = (schema: z.ZodType, example: unknown, where: string) => {
      const parsed = schema.safeParse(example);
      if (!parsed.success) wrong.push([where, example, parsed.error.issues]);
    };
    for (const row of routeTable({ identity: {}, billing: {} } as Services)) {
      const operation = document.paths[row.path.replace(/:(\w+)/g, '{$1}')]?.[row.method];
      const where = `${row.method} ${row.path}`;
      const { requestBody, responses, parameters = [] } = operation as Operation;
      if (row.body) check(row.body, requestBody?.content['application/json']?.example, where);
      if (row.status !== 204)
        check(
          row.response,
          responses[row.status]?.content?.['application/json']?.example,
          `${where} ${row.status}`,
        );
      for (const [location, schema] of [
        ['path', row.params],
        ['query', row.query],
      ] as const)
        for (const { name, in: found, schema: described, example = described.examples?.[0] } of parameters) {
          const field = (schema as z.ZodObject<z.ZodRawShape> | undefined)?.shape[name] as
            | z.ZodType
            | undefined;
          if (found === location && field) check(field, String(example), `${where} ?${name}`);
        }
    }
    expect(wrong).toEqual([]);
  });

  it('has examples with which the page /docs can send each list and create rooms and streams', async () => {
    const scopes = keyScopes;
    const key = bearer((await newKey(server.url, await newCustomer(server.url), { scopes })).secret);
    const answers: unknown[] = [];
    const send = async (method: string, path: string, body?: unknown) => {
      const { status, text } = await api(server.url, method, path, key, body);
      if (status >= 400) answers.push([method, path, status, text]);
    };
    for (const [path, { get }] of Object.entries(document.paths)) {
      const { parameters = [], security }: Partial<Operation> = get ?? {};
      const isOfKeys = JSON.stringify(security ?? []).includes('apiKey');
      if (path.includes('{') || !isOfKeys || !parameters.some(({ name }) => name === 'limit')) continue;
      // The page fills in the examples of parameters, also of optional ones.
      const filled = parameters.filter(({ example }) => example !== undefined);
      const query = filled.map(({ name, example }) => [name, String(example)]);
      await send('GET', `${path}?${new URLSearchParams(query).toString()}`);
    }
    for (const path of ['/rooms', '/streams'])
      await send('POST', path, document.paths[path]?.post?.requestBody?.content['application/json']?.example);
    expect(answers).toEqual([]);
  });

  it('describes answers as they are: files of any type, and nothing with 204', () => {
    expect(document.paths['/media/{id}']?.get?.responses['200']?.content).toEqual({ '*/*': {} });
    for (const item of Object.values(document.paths))
      for (const { responses } of Object.values(item)) expect(responses['204']?.content).toBeUndefined();
    expect(document.paths['/media/uploads/{id}']?.delete?.responses).toHaveProperty('204');
  });

  it('has the other statuses of answers that are no errors', () => {
    const statusesOf = (path: string, method: string) =>
      Object.keys(document.paths[path]?.[method]?.responses ?? {}).map(Number);
    expect(statusesOf('/esim/checkout', 'post')).toEqual(expect.arrayContaining([200, 201, 202]));
    expect(statusesOf('/media/{id}', 'get')).toEqual(expect.arrayContaining([200, 206, 304, 416]));
    const { content } = document.paths['/esim/checkout']?.post?.responses['201'] ?? {};
    expect(content?.['application/json']?.schema).toEqual({ $ref: '#/components/schemas/EsimCheckout' });
  });

  it('allows errors their further members, such as the missing scope', () => {
    expect(schemasOf(document)['ErrorBody']?.additionalProperties).toEqual({});
  });

  it('describes bodies and parameters as clients send them', () => {
    const send = document.paths['/sms/send']?.post;
    expect(send?.requestBody?.content['application/json']?.schema).toEqual({
      $ref: '#/components/schemas/SendSms',
    });
    expect(schemasOf(document)['SendSms']).toMatchObject({
      type: 'object',
      required: ['to', 'message'],
      additionalProperties: false,
      properties: { message: { type: 'string', minLength: 1, maxLength: 1_600 } },
    });
    expect(send?.parameters).toMatchObject([{ name: 'Idempotency-Key', in: 'header', required: false }]);
    expect(send?.description).toContain('sms:send');
    expect(send?.requestBody?.required).toBe(true);
    expect(document.paths['/auth/logout']?.post?.requestBody?.required).toBe(false);
    expect(document.paths['/stripe/webhook']?.post?.requestBody).toMatchObject({ required: true });
    const history = document.paths['/account/history']?.get;
    expect(history?.parameters).toMatchObject([
      { name: 'type', in: 'query', required: false },
      { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100 } },
      { name: 'cursor', in: 'query' },
    ]);
    const thread = document.paths['/messaging/threads/{counterparty}']?.get;
    expect(thread?.parameters).toContainEqual(
      expect.objectContaining({ name: 'counterparty', in: 'path', required: true }),
    );
  });
});

describe('/docs', () => {
  it('is a page that loads only from this server, under its content security policy', async () => {
    const moved = await ask(server.url, 'GET', '/docs');
    expect([moved.status, moved.headers.location]).toEqual([301, '/docs/']);
    const page = await ask(server.url, 'GET', '/docs/');
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers['content-security-policy']).toContain("script-src 'self'");
    const loaded = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address);
    expect(loaded.length).toBeGreaterThan(3);
    for (const address of loaded) {
      expect(address).not.toMatch(/^(https?:)?\/\//);
      expect((await ask(server.url, 'GET', new URL(address, `${server.url}/docs/`).pathname)).status).toBe(
        200,
      );
    }
    for (const path of ['/docs/swagger-ui-bundle.js', '/docs/swagger-ui.css', '/api/v1/openapi.json']) {
      const [plain, compressed] = await Promise.all(
        ['identity', 'gzip'].map((encoding) =>
          ask(server.url, 'GET', path, { headers: { 'Accept-Encoding': encoding } }),
        ),
      );
      expect([path, plain?.headers['content-encoding'], compressed?.headers['content-encoding']]).toEqual([
        path,
        undefined,
        'gzip',
      ]);
      expect([
        path,
        Number(compressed?.headers['content-length']) < Number(plain?.headers['content-length']) / 3,
      ]).toEqual([path, true]);
    }
    // No inline scripts, which the policy would block.
    expect(page.text).not.toMatch(/<script>|<script [^>]*>\s*[^<\s]/);
  });
});
