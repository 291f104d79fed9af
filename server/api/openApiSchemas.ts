import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import * as account from '../../sdk/protocol/account.ts';
import * as accountCalls from '../../sdk/protocol/accountCalls.ts';
import * as accountEvent from '../../sdk/protocol/accountEvent.ts';
import * as accountRecordings from '../../sdk/protocol/accountRecordings.ts';
import * as apiKeys from '../../sdk/protocol/apiKeys.ts';
import { roomSettings } from '../../sdk/protocol/conference.ts';
import * as esim from '../../sdk/protocol/esim.ts';
import * as files from '../../sdk/protocol/files.ts';
import * as gates from '../../sdk/protocol/gates.ts';
import * as guests from '../../sdk/protocol/guests.ts';
import * as http from '../../sdk/protocol/http.ts';
import * as identities from '../../sdk/protocol/identities.ts';
import * as leaksearch from '../../sdk/protocol/leaksearch.ts';
import * as lookup from '../../sdk/protocol/lookup.ts';
import * as messaging from '../../sdk/protocol/messaging.ts';
import * as numbers from '../../sdk/protocol/numbers.ts';
import * as operator from '../../sdk/protocol/operator.ts';
import * as payments from '../../sdk/protocol/payments.ts';
import * as privacy from '../../sdk/protocol/privacy.ts';
import * as quality from '../../sdk/protocol/quality.ts';
import * as rooms from '../../sdk/protocol/rooms.ts';
import * as session from '../../sdk/protocol/session.ts';
import * as sms from '../../sdk/protocol/sms.ts';
import * as status from '../../sdk/protocol/status.ts';
import * as streams from '../../sdk/protocol/streams.ts';
import * as verifications from '../../sdk/protocol/verifications.ts';
import * as webhookData from '../../sdk/protocol/webhookData.ts';
import * as webhookEndpoints from '../../sdk/protocol/webhookEndpoints.ts';
import * as webhookEvents from '../../sdk/protocol/webhookEvents.ts';
import * as webhooks from '../../sdk/protocol/webhooks.ts';
import * as xmpp from '../../sdk/protocol/xmpp.ts';

export type Json = Record<string, unknown>;

/** The modules whose exported schemas have names in the document. Generated clients have types of these names. */
const modules: Json[] = [
  ...[account, accountCalls, accountEvent, accountRecordings, apiKeys, esim, files, gates, guests, http],
  ...[identities, leaksearch, lookup, messaging, numbers, operator, payments, privacy, quality, rooms],
  ...[session, sms, status, streams, verifications, webhookData, webhookEndpoints, webhookEvents, webhooks],
  ...[xmpp, { roomSettings }],
];
/** Other kinds of schemas, such as ids, stay where they are used. */
const namedKinds = ['object', 'union', 'enum', 'pipe'];
const names = new Map<unknown, string>();
for (const [name, schema] of modules.flatMap((module) => Object.entries(module))) {
  if (!(schema instanceof z.ZodType) || !namedKinds.includes(schema.type)) continue;
  const capital = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  if ([...names.values()].includes(capital)) throw new Error(`Two schemas are exported as ${name}.`);
  names.set(schema, capital);
}

const nameOf = (schema: z.core.$ZodType | undefined): string | undefined =>
  schema && (names.get(schema) ?? nameOf(schema._zod.parent));

/** Where toSchema() notes the name of a schema for Components. */
const nameMember = 'x-name';

/** @returns the JSON schema, in which Components can replace the named parts */
export function toSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const name = nameOf(zodSchema);
      if (name) jsonSchema[nameMember] = name;
      describeDefault(jsonSchema, io);
    },
  });
  // Zod leaves out the examples of a schema that transforms a field, such as the amount of a gate.
  const { examples } = schema.meta() ?? {};
  return examples ? { ...rest, examples } : rest;
}

/**
 * Says in the description of a request's field what its default is, and makes that its example. Generators of clients would
 * require a field with a `default` in requests.
 */
function describeDefault(schema: Json, io: 'input' | 'output'): void {
  const { default: usual, description = '', examples = [usual] } = schema;
  if (usual === undefined) return;
  delete schema.default;
  schema.examples = examples;
  const text = typeof usual === 'string' ? `\`${usual}\`` : JSON.stringify(usual);
  const isSaid = ['{}', '[]', '``'].includes(text) || String(description).includes('Default: ');
  if (io === 'input' && !isSaid) schema.description = `${String(description)} Default: ${text}.`;
}

/** Collects the named schemas of a document. */
export class Components {
  readonly schemas: Json = {};

  /**
   * Replaces the named schemas in a part of the document by references.
   * @param suffix added to the name of a schema that differs from the one that already has it
   */
  refer<Part>(part: Part, suffix = ''): Part {
    return this.#refer(part, suffix) as Part;
  }

  #refer(part: unknown, suffix: string): unknown {
    if (Array.isArray(part)) return part.map((each) => this.#refer(each, suffix));
    if (typeof part !== 'object' || part === null) return part;
    const { [nameMember]: named, ...rest } = part as Json;
    const inner = Object.fromEntries(
      Object.entries(rest).map(([key, value]) => [key, this.#refer(value, suffix)]),
    );
    if (typeof named !== 'string') return inner;
    // These belong to the place where a schema is used.
    const { description, examples: _, ...schema } = inner;
    const name = [named, `${named}${suffix}`].find((each) => this.#add(each, schema));
    if (name === undefined) throw new Error(`Two schemas of the document are named ${named}.`);
    return { $ref: `#/components/schemas/${name}`, ...(description === undefined ? {} : { description }) };
  }

  /** @returns false if another schema has this name */
  #add(name: string, schema: Json): boolean {
    return isDeepStrictEqual((this.schemas[name] ??= schema), schema);
  }
}
