import { z } from 'zod';
import { safeParse } from '../../sdk/protocol/common.ts';
import type { IdPrefix } from '../../sdk/protocol/ids.ts';

/* Requests generated from their schemas: valid ones, and copies of these with one value replaced. */

type Path = (string | number)[];

const idPrefixes: IdPrefix[] = [
  ...(['call', 'msg', 'cnv', 'room', 'str', 'vm', 'par', 'num', 'ord', 'thr', 'evt', 'vrf'] as const),
  ...(['esm', 'key', 'txn', 'aud', 'med', 'rec', 'idn', 'pay'] as const),
];

/** The first of these that a schema accepts is its sample. */
const texts = [
  'abcd',
  ...idPrefixes.map((prefix) => `${prefix}_${'0'.repeat(24)}`),
  `0x${'ab'.repeat(20)}`,
  // After the address, so that messages go to a wallet.
  `grp_${'0'.repeat(24)}`,
  // A media test.
  'test_00000000-0000-0000-0000-000000000000',
  '+15005550006',
  '2026-11-20T12:00:00.000Z',
  '2026-11-20',
  '5',
  '12345',
  'DE',
  'en',
  'a@example.org',
  'https://example.org/',
  '👍',
  '0xabcd',
  Buffer.alloc(65, 1).toString('base64url'),
  Buffer.alloc(16, 1).toString('base64url'),
  'ab'.repeat(16),
];

interface Definition {
  type: string;
  shape?: Record<string, z.ZodType>;
  element?: z.ZodType;
  innerType?: z.ZodType;
  in?: z.ZodType;
  options?: z.ZodType[];
  values?: unknown[];
  entries?: Record<string, unknown>;
  keyType?: z.ZodType;
  valueType?: z.ZodType;
}

/** Valid requests: one for each option of each union in the schema. */
export function samplesOf(schema: z.ZodType): unknown[] {
  const samples = variantsOf(schema)
    .map((sample) => fit(schema, sample))
    .filter((sample) => sample !== undefined);
  if (samples.length > 0) return samples;
  const wanted = JSON.stringify(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })).slice(
    0,
    500,
  );
  throw new Error(`schemaSamples.ts makes no valid sample of ${wanted}`);
}

/** Makes a sample valid if its fields exclude each other, by leaving out one or two of them or changing the value of one. */
function fit(schema: z.ZodType, sample: unknown): unknown {
  const isValid = (given: unknown) => safeParse(schema, given).success;
  if (isValid(sample)) return sample;
  const fields = sample as Record<string, unknown>;
  const names = Object.keys(fields);
  const without = (dropped: string[]) =>
    Object.fromEntries(Object.entries(fields).filter(([name]) => !dropped.includes(name)));
  const pairs = names.flatMap((one) => names.map((other) => [one, other]));
  const { shape = {} } = schema._zod.def as unknown as Definition;
  const valuesOf = (name: string) =>
    Object.values((shape[name]?._zod.def as Definition | undefined)?.entries ?? texts);
  const others = names.flatMap((name) => valuesOf(name).map((value) => ({ ...fields, [name]: value })));
  return [...pairs.map(without), ...others].find(isValid);
}

function variantsOf(schema: z.ZodType): unknown[] {
  const definition = schema._zod.def as unknown as Definition;
  const leaf = texts.find((text) => safeParse(schema, text).success);
  switch (definition.type) {
    case 'object':
      return objectsOf(definition.shape ?? {});
    case 'array':
      return variantsOf(definition.element as z.ZodType).map((item) => [item]);
    case 'record':
      return [
        {
          [String(variantsOf(definition.keyType as z.ZodType)[0])]: variantsOf(
            definition.valueType as z.ZodType,
          )[0],
        },
      ];
    case 'union':
      return leaf === undefined ? (definition.options ?? []).flatMap(variantsOf) : [leaf];
    case 'enum':
      return [Object.values(definition.entries ?? {})[0]];
    case 'literal':
      return [definition.values?.[0]];
    case 'boolean':
      return [true];
    case 'number':
      return [[1, 2, 100, 1_000].find((value) => safeParse(schema, value).success)];
    case 'string':
    case 'unknown':
      return [leaf];
    case 'undefined':
    case 'never':
      return [];
    default:
      return leaf === undefined ? variantsOf((definition.innerType ?? definition.in) as z.ZodType) : [leaf];
  }
}

function objectsOf(shape: Record<string, z.ZodType>): object[] {
  const fields = Object.entries(shape).map(([name, field]) => [name, variantsOf(field)] as const);
  const first = Object.fromEntries(
    fields.filter(([, all]) => all.length > 0).map(([name, all]) => [name, all[0]]),
  );
  return [
    first,
    ...fields.flatMap(([name, all]) => all.slice(1).map((other) => ({ ...first, [name]: other }))),
  ];
}

/** Copies of the sample, each with a different one of its values replaced. */
export function replaced(sample: unknown, by: unknown): unknown[] {
  return pathsOf(sample).map((path) => {
    const copy = structuredClone(sample);
    let parent = copy as Record<string | number, unknown>;
    for (const step of path.slice(0, -1)) parent = parent[step] as typeof parent;
    parent[path.at(-1) as string] = by;
    return copy;
  });
}

function pathsOf(value: unknown): Path[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    [name],
    ...pathsOf(inner).map((path) => [name, ...path]),
  ]);
}
