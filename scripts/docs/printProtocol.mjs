import ts from 'typescript';
import { z } from 'zod';
import * as calls from '../../sdk/protocol/calls.ts';
import * as conference from '../../sdk/protocol/conference.ts';
import { errorCodes, defaultReasons } from '../../sdk/protocol/errors.ts';
import * as files from '../../sdk/protocol/files.ts';
import * as gates from '../../sdk/protocol/gates.ts';
import * as media from '../../sdk/protocol/media.ts';
import * as messages from '../../sdk/protocol/messages.ts';
import { httpReasons, realtimeReasons } from '../../sdk/protocol/reasons.ts';
import * as recordings from '../../sdk/protocol/recordings.ts';
import * as streaming from '../../sdk/protocol/streaming.ts';
import * as voicemail from '../../sdk/protocol/voicemail.ts';
import { events, requests } from '../../sdk/protocol/wire.ts';
import { createFieldTable } from './fieldTable.mjs';
import { commentOf } from './typePrinter.mjs';

const modules = { calls, conference, files, gates, media, messages, recordings, streaming, voicemail };

/**
 * Prints the reference of the realtime protocol as Markdown: every request, event, object, error code and reason. Fields and bounds come
 * from the schemas, descriptions from their comments, and the errors of a request from the SDK's method of the same name.
 * @param {ts.Program} program with sdk/protocol
 * @param {string} surface sdk/api.d.ts
 */
export function printProtocol(program, surface) {
  const checker = program.getTypeChecker();
  let objects = sharedObjects();
  const { fieldsOf, printType } = createFieldTable(checker);
  const methods = methodsOf(surface);

  const messages = [
    `# Realtime protocol

Every request and event of the Socket.IO connection. The page \`docs/protocol.md\` of the repository shows how to connect, sign in and receive media without the SDK. With the SDK, a request is the method
of the same name.

Generated from \`sdk/protocol\` by \`npm run docs\`. Do not edit.

- A request is answered with \`{ ok: true, data }\` or \`{ ok: false, error }\`. Unknown fields are refused.
- A time is text in ISO 8601, in UTC with milliseconds. An amount of tokens is a decimal string in base units.
- Any request can fail with \`VALIDATION_ERROR\` or \`INVALID_ADDRESS\` (\`details\` names the fields), \`AUTHENTICATION_REQUIRED\`,
  \`RATE_LIMIT_EXCEEDED\` and \`SERVICE_UNAVAILABLE\` (\`retryAfter\` is set), and \`INTERNAL\`. Further errors are listed with each request.`,
    '## Requests',
    ...Object.entries(requests).map(([name, schemas]) => requestSection(name, schemas)),
    '## Events',
    ...Object.entries(events).map(([name, schema]) => eventSection(name, schema)),
  ];
  return `${[...messages, '## Objects', ...objectSections(messages.join()), errorSection()].join('\n\n')}\n`;

  /**
   * The objects that the text refers to, and those that they refer to.
   * @param {string} text
   * @returns {string[]}
   */
  function objectSections(text) {
    const next = objects.filter(({ name }) => text.includes(`(#${name.toLowerCase()})`));
    objects = objects.filter((object) => !next.includes(object));
    const sections = next.map(({ name, schema, module }) => objectSection(name, schema, module));
    return sections.length > 0 ? [...sections, ...objectSections(sections.join())] : [];
  }

  /**
   * @param {string} name
   * @param {{ request: z.ZodType, response: z.ZodType }} schemas
   */
  function requestSection(name, { request, response }) {
    const property = propertyOf('requests', name);
    const part = (/** @type {string} */ key) =>
      checker.getTypeOfSymbol(/** @type {ts.Symbol} */ (checker.getTypeOfSymbol(property).getProperty(key)));
    const method = methods.get(name);
    const comment = commentOf(property.declarations?.[0]) || method?.summary || '';
    const errors = method?.errors.filter((text) => !/^(PERMISSION_DENIED|NETWORK_ERROR)/.test(text)) ?? [];
    return [
      `### ${name}`,
      comment,
      fieldsOf(request, part('request'), 'input') || 'The payload is `{}`.',
      `**Answer:** ${printType(response, 'output')}`,
      fieldsOf(response, part('response'), 'output'),
      errors.length > 0 ? `**Errors:**\n\n${errors.map((text) => `- ${text}`).join('\n')}` : '',
    ]
      .filter(Boolean)
      .join('\n\n');
  }

  /**
   * @param {string} name
   * @param {z.ZodType} schema
   */
  function eventSection(name, schema) {
    const property = propertyOf('events', name);
    const isObject = !printType(schema, 'output').startsWith('[');
    return [
      `### ${name}`,
      commentOf(property.declarations?.[0]),
      isObject ? '' : `**Payload:** ${printType(schema, 'output')}`,
      fieldsOf(schema, checker.getTypeOfSymbol(property), 'output') ||
        (isObject ? 'The payload is `{}`.' : ''),
    ]
      .filter(Boolean)
      .join('\n\n');
  }

  /**
   * @param {string} name
   * @param {z.ZodType} schema
   * @param {string} module
   */
  function objectSection(name, schema, module) {
    const symbol = exportOf(module, name);
    const comment = commentOf(symbol.valueDeclaration?.parent.parent);
    return [`### ${name}`, comment, fieldsOf(schema, checker.getTypeOfSymbol(symbol), 'output', true)]
      .filter(Boolean)
      .join('\n\n');
  }

  /**
   * @param {'requests' | 'events'} list
   * @param {string} name
   */
  function propertyOf(list, name) {
    return /** @type {ts.Symbol} */ (checker.getTypeOfSymbol(exportOf('wire', list)).getProperty(name));
  }

  /**
   * @param {string} module
   * @param {string} name
   */
  function exportOf(module, name) {
    const source = program
      .getSourceFiles()
      .find(({ fileName }) => fileName.endsWith(`/sdk/protocol/${module}.ts`));
    const symbol = checker.getSymbolAtLocation(/** @type {ts.SourceFile} */ (source));
    return /** @type {ts.Symbol} */ (symbol?.exports?.get(ts.escapeLeadingUnderscores(name)));
  }
}

/** The exported object schemas. Each gets a section of its own, to which the fields that contain it refer. */
function sharedObjects() {
  const found = [];
  for (const [module, exported] of Object.entries(modules)) {
    for (const [name, schema] of Object.entries(exported)) {
      if (!(schema instanceof z.ZodObject)) continue;
      z.globalRegistry.add(schema, { ...z.globalRegistry.get(schema), id: name });
      found.push({ name, schema, module });
    }
  }
  return found;
}

/**
 * The summary and errors of the SDK's methods, by the name of their request.
 * @param {string} surface
 */
function methodsOf(surface) {
  const source = ts.createSourceFile('api.d.ts', surface, ts.ScriptTarget.Latest, true);
  /** @type {Map<string, { summary: string, errors: string[] }>} */
  const methods = new Map();
  for (const node of source.statements) {
    if (!ts.isInterfaceDeclaration(node)) continue;
    const namespace = /`client\.(\w+)`/.exec(commentOf(node))?.[1];
    for (const member of namespace ? node.members : []) {
      if (!ts.isMethodSignature(member)) continue;
      const errors = ts
        .getJSDocTags(member)
        .filter(({ tagName }) => tagName.text === 'throws')
        .map(({ comment }) =>
          (ts.getTextOfJSDocComment(comment) ?? '').replace(/^ParleyError /, '').replace(/\s+/g, ' '),
        );
      methods.set(`${namespace}.${member.name.getText()}`, { summary: commentOf(member), errors });
    }
  }
  return methods;
}

function errorSection() {
  const codes = errorCodes.map((code) => `| \`${code}\` | \`${defaultReasons[code]}\` |`);
  const reasons = [
    ...Object.entries(realtimeReasons),
    ...Object.entries(httpReasons).map(([reason, [, meaning]]) => [reason, meaning]),
  ].sort(([a = ''], [b = '']) => a.localeCompare(b));
  return `## Errors

An error has \`code\`, \`reason\`, \`message\` and \`requestId\`, and where they apply \`details\`, \`extra\` and \`retryAfter\`. Programs switch on \`code\`, and on
\`reason\` where it matters; \`message\` is for people.

| code | reason, if there is no more specific one |
|---|---|
${codes.join('\n')}

### Reasons

| reason | meaning |
|---|---|
${reasons.map(([reason, meaning]) => `| \`${reason}\` | ${meaning} |`).join('\n')}`;
}
