import { readdir } from 'node:fs/promises';
import { z } from 'zod';

const folder = new URL('../../sdk/protocol/', import.meta.url);

/** Prints sdk/src/connection/dateFields.ts: the names of all fields that are times in an answer or event. The SDK contains no schemas. */
export async function printDateFields() {
  /** @type {Set<string>} */
  const names = new Set();
  const modules = (await readdir(folder)).filter((file) => !file.endsWith('.test.ts'));
  for (const file of modules) {
    for (const [name, value] of entriesOf(await import(new URL(file, folder).href)))
      if (!/Query$|^isoDate$/.test(name)) addSchemas(value, names);
  }
  const lines = [...names].sort().map((name) => `  '${name}',`);
  return `/** The names of all fields with the schema \`isoDate\`. Generated from \`sdk/protocol\` by \`npm run docs\`. Do not edit. */
export const dateFields: ReadonlySet<string> = new Set([\n${lines.join('\n')}\n]);\n`;
}

/**
 * @param {unknown} value a schema, or an object that contains schemas
 * @param {Set<string>} names
 */
function addSchemas(value, names) {
  if (value instanceof z.ZodType)
    return addDates(z.toJSONSchema(value, { unrepresentable: 'any' }), '', names);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  for (const [key, part] of entriesOf(value)) if (key !== 'request') addSchemas(part, names);
}

/**
 * @param {unknown} node a JSON Schema, or a part of it
 * @param {string} key the field that it describes
 * @param {Set<string>} names
 */
function addDates(node, key, names) {
  if (typeof node !== 'object' || node === null) return;
  if ('format' in node && node.format === 'date-time') names.add(key);
  for (const [name, part] of entriesOf(node)) {
    if (name !== 'properties') addDates(part, key, names);
    else for (const [field, schema] of entriesOf(part)) addDates(schema, field, names);
  }
}

/**
 * @param {unknown} object
 * @returns {[string, unknown][]}
 */
const entriesOf = (object) => Object.entries(/** @type {object} */ (object));
