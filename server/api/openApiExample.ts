type Json = Record<string, unknown>;

const ofFormat: Record<string, string> = {
  email: 'ada@example.org',
  uri: 'https://example.org/',
  'date-time': '2026-11-20T12:00:00.000Z',
};

/** An example for a JSON schema: the schema's own example, or else one that is built from its parts. */
export function exampleOf(schema: Json): unknown {
  const { examples, anyOf, oneOf, enum: values } = schema as Record<string, unknown[] | undefined>;
  if (examples) return examples[0];
  if ('const' in schema) return schema.const;
  if (schema.default !== undefined) return schema.default;
  if (values) return values[0];
  const [first] = (anyOf ?? oneOf ?? []) as Json[];
  if (first) return exampleOf(first);
  const type = Array.isArray(schema.type) ? (schema.type[0] as unknown) : schema.type;
  switch (type) {
    case 'object':
      return objectOf(schema);
    case 'array':
      return schema.items ? [exampleOf(schema.items as Json)] : [];
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return Math.max(1, Number(schema.minimum ?? 1));
    case 'string':
      return ofFormat[String(schema.format)] ?? 'text';
    default:
      return null;
  }
}

function objectOf({ properties = {}, additionalProperties }: Json): Json {
  const named = Object.entries(properties as Record<string, Json>);
  if (named.length > 0) return Object.fromEntries(named.map(([name, field]) => [name, exampleOf(field)]));
  const others = additionalProperties as Json | boolean | undefined;
  return typeof others === 'object' && Object.keys(others).length > 0 ? { name: exampleOf(others) } : {};
}
