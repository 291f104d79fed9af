import { z } from 'zod';
import { docsOf } from './typePrinter.mjs';

/** @typedef {import('typescript').Type} Type */
/** @typedef {import('typescript').TypeChecker} TypeChecker */
/** @typedef {z.core.JSONSchema.BaseSchema} Json */
/** @typedef {'input' | 'output'} Direction what a sender writes, or what a receiver gets */

/**
 * Prints the fields of wire schemas as Markdown tables.
 * @param {TypeChecker} checker
 */
export function createFieldTable(checker) {
  return { fieldsOf, printType };

  /**
   * A table of the fields of an object, with the fields of inner objects; empty if it has none or has a section of its own.
   * @param {z.ZodType} schema
   * @param {Type} schemaType the type of the schema
   * @param {Direction} io
   * @param {boolean} isOwnSection
   */
  function fieldsOf(schema, schemaType, io, isOwnSection = false) {
    const json = toJson(schema, io);
    const whole = isOwnSection ? resolve(json) : json;
    /** @type {Map<string, { types: Set<string>, about: string }>} */
    const rows = new Map();
    collect(whole, parsedType(schemaType, io), '', rows);
    const lines = [...rows].map(
      ([path, { types, about }]) => `| \`${path}\` | ${cell([...types].join(' or '))} | ${cell(about)} |`,
    );
    return lines.length > 0 ? `| field | type | meaning |\n|---|---|---|\n${lines.join('\n')}` : '';
  }

  /**
   * @param {z.ZodType} schema
   * @param {Direction} io
   */
  function printType(schema, io) {
    return typeOf(toJson(schema, io));
  }

  /**
   * The type of what a schema accepts or returns.
   * @param {Type} schemaType
   * @param {Direction} io
   */
  function parsedType(schemaType, io) {
    const internals = schemaType.getProperty('_zod');
    const parsed = internals && checker.getTypeOfSymbol(internals).getProperty(io);
    return parsed && checker.getTypeOfSymbol(parsed);
  }

  /**
   * Adds the fields of an object and of its inner objects. Fields that several objects of a union have are one row.
   * @param {Json} json
   * @param {Type | undefined} type
   * @param {string} path
   * @param {Map<string, { types: Set<string>, about: string }>} rows
   */
  function collect(json, type, path, rows) {
    if (json.items) collect(/** @type {Json} */ (json.items), itemOf(type), `${path}[]`, rows);
    for (const option of json.anyOf ?? json.oneOf ?? []) collect(option, type, path, rows);
    for (const [name, given] of Object.entries(json.properties ?? {})) {
      const field = /** @type {Json} */ (given);
      const property = fieldOf(type, name);
      const key = path ? `${path}.${name}` : name;
      const presence =
        field.default !== undefined
          ? `default \`${JSON.stringify(field.default)}\``
          : json.required?.includes(name)
            ? ''
            : 'optional';
      const row = rows.get(key) ?? { types: new Set(), about: '' };
      row.types.add([typeOf(field), presence].filter(Boolean).join(', '));
      row.about ||= plain(docsOf(checker, property?.declarations?.[0], true)) || (field.description ?? '');
      rows.set(key, row);
      collect(field, property && checker.getTypeOfSymbol(property), key, rows);
    }
  }

  /**
   * @param {Type | undefined} type
   * @returns {Type | undefined}
   */
  function itemOf(type) {
    const list = type && checker.getNonNullableType(type);
    return list && checker.isArrayType(list) ? list.getNumberIndexType() : type;
  }

  /**
   * @param {Type | undefined} type
   * @param {string} name
   */
  function fieldOf(type, name) {
    const whole = type && checker.getNonNullableType(type);
    const options = whole?.isUnion() ? whole.types : whole ? [whole] : [];
    return options.map((each) => each.getProperty(name)).find(Boolean);
  }
}

/**
 * @param {z.ZodType} schema
 * @param {Direction} io
 * @returns {Json}
 */
const toJson = (schema, io) => z.toJSONSchema(schema, { io, unrepresentable: 'any', cycles: 'ref' });

/**
 * The schema of an object that has a section of its own.
 * @param {Json} json
 * @returns {Json}
 */
function resolve(json) {
  const name = json.$ref?.split('/').at(-1);
  return name ? /** @type {Json} */ (json.$defs?.[name]) : json;
}

/**
 * @param {Json} json
 * @returns {string}
 */
function typeOf(json) {
  if (json.$ref)
    return json.$ref === '#' ? 'the same' : link(/** @type {string} */ (json.$ref.split('/').at(-1)));
  const options =
    json.anyOf ??
    json.oneOf ??
    (Array.isArray(json.type) ? json.type.map((type) => ({ ...json, type })) : null);
  if (options) return [...new Set(options.map((each) => typeOf(each)))].join(' or ');
  if (json.const !== undefined) return `\`${JSON.stringify(json.const)}\``;
  if (json.enum) return json.enum.map((each) => `\`${String(each)}\``).join(', ');
  switch (json.type) {
    case 'string':
      return bounded('text', json.minLength, json.maxLength, 'characters');
    case 'integer':
      return bounded('whole number', ownBound(json.minimum), ownBound(json.maximum), '');
    case 'number':
      return bounded('number', json.minimum, json.maximum, '');
    case 'boolean':
      return 'true or false';
    case 'null':
      return 'null';
    case 'array': {
      const item = json.items ? typeOf(/** @type {Json} */ (json.items)) : 'any';
      return bounded(`list of ${item}`, json.minItems, json.maxItems, 'items');
    }
    case 'object':
      if (Object.keys(json.properties ?? {}).length > 0) return 'object';
      return json.additionalProperties ? 'object with any fields' : '`{}`';
    default:
      return 'any';
  }
}

/** A bound, unless it is only that of all whole numbers. @param {number | undefined} bound */
const ownBound = (bound) => (Math.abs(bound ?? 0) === Number.MAX_SAFE_INTEGER ? undefined : bound);

/** The text of a cell of a table. @param {string} text */
const cell = (text) => text.replaceAll('|', '\\|');

/** @param {string} name */
const link = (name) => `[\`${name}\`](#${name.toLowerCase()})`;

/**
 * @param {string} text
 * @param {number | undefined} least
 * @param {number | undefined} most
 * @param {string} unit
 */
function bounded(text, least, most, unit) {
  const figure = (/** @type {number} */ value) => value.toLocaleString('en');
  const end = unit && ` ${unit}`;
  if (least !== undefined && most !== undefined)
    return least === most
      ? `${text}, ${figure(most)}${end}`
      : `${text}, ${figure(least)} to ${figure(most)}${end}`;
  if (most !== undefined) return `${text}, at most ${figure(most)}${end}`;
  return least === undefined ? text : `${text}, at least ${figure(least)}${end}`;
}

/**
 * The text of a comment, as one line.
 * @param {string} comment
 */
export const plain = (comment) =>
  comment
    .replace(/^\s*\/\*\*|\*\/\s*$/g, '')
    .replace(/\n\s*\* ?/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
