import { readdir } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { dateFields } from './dateFields.ts';
import { fromWire } from './fromWire.ts';

const time = '2026-11-20T12:00:00.000Z';
const folder = new URL('../../protocol/', import.meta.url);

/** The fields with a type that admits any object. fromWire() is not used for them. */
const freeForm = ['json', 'parameters', 'payload', 'rtpCapabilities', 'services'];
/** Fields that are times in some objects, and wallets or phone numbers in others. */
const ambiguous = ['from', 'to'];

/** The names of the times in all schemas. */
const found = new Set<string>();

interface Sample {
  wire: unknown;
  app: unknown;
}

/** A sample of a schema in which every text is a time, also the texts that are not: as it is sent, and as the app should get it. */
function sampleOf(schema: z.core.$ZodType, key = ''): Sample {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const all = (schemas: readonly z.core.$ZodType[]): Sample => {
    const samples = schemas.map((one) => sampleOf(one, key));
    return { wire: samples.map(({ wire }) => wire), app: samples.map(({ app }) => app) };
  };
  switch (def.type) {
    case 'object': {
      const fields = Object.entries(def.shape).map(([name, field]) => [name, sampleOf(field, name)] as const);
      const shown = fields.filter(([name]) => name !== 'revision');
      return {
        wire: Object.fromEntries(fields.map(([name, { wire }]) => [name, wire])),
        app: Object.fromEntries(shown.map(([name, { app }]) => [name, app])),
      };
    }
    case 'array':
      return all([def.element]);
    case 'tuple':
      return all(def.items);
    case 'union':
      return all(def.options);
    case 'intersection':
      return all([def.left, def.right]);
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'readonly':
    case 'nonoptional':
    case 'catch':
      return sampleOf(def.innerType, key);
    case 'pipe':
      return sampleOf((def.out as z.core.$ZodTypes)._zod.def.type === 'transform' ? def.in : def.out, key);
    case 'record':
    case 'unknown':
    case 'any':
    case 'custom':
      expect(freeForm).toContain(key);
      return { wire: 0, app: 0 };
    case 'string':
      if ('format' in def && def.format === 'datetime') {
        found.add(key);
        return { wire: time, app: new Date(time) };
      }
      return ambiguous.includes(key) ? { wire: 'x', app: 'x' } : { wire: time, app: time };
    default:
      return { wire: 0, app: 0 };
  }
}

/** The schemas of everything that the server sends. */
async function wireSchemas(): Promise<[string, z.ZodType][]> {
  const schemas: [string, z.ZodType][] = [];
  const collect = (name: string, value: unknown) => {
    if (value instanceof z.ZodType) schemas.push([name, value]);
    else if (/(Requests|Events)$/.test(name))
      for (const [key, one] of Object.entries(value as Record<string, { response?: unknown }>))
        collect(key, one.response ?? one);
  };
  for (const file of await readdir(folder)) {
    if (file.endsWith('.test.ts')) continue;
    const module = (await import(new URL(file, folder).href)) as Record<string, unknown>;
    for (const [name, value] of Object.entries(module))
      if (!/Query$|^isoDate$/.test(name)) collect(name, value);
  }
  return schemas;
}

it('converts the times of every schema to Dates, and nothing else', async () => {
  const schemas = await wireSchemas();
  expect(schemas.length).toBeGreaterThan(200);
  for (const [name, schema] of schemas) {
    const { wire, app } = sampleOf(schema);
    expect(fromWire(wire), name).toEqual(app);
  }
  expect([...dateFields].sort()).toEqual([...found].sort());
});
