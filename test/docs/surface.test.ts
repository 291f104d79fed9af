import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { readPage, type Block } from './blocks.ts';
import { checkTypes } from './checkTypes.ts';

/* The docs of the public methods in sdk/api.d.ts, from which the API reference is made. */

const page = 'sdk/api.d.ts';
const source = ts.createSourceFile(page, readPage(page), ts.ScriptTarget.Latest, true);

type Callable =
  | ts.MethodSignature
  | ts.MethodDeclaration
  | ts.ConstructorDeclaration
  | ts.FunctionDeclaration;
const isCallable = (node: ts.Node): node is Callable =>
  ts.isMethodSignature(node) ||
  ts.isMethodDeclaration(node) ||
  ts.isConstructorDeclaration(node) ||
  ts.isFunctionDeclaration(node);

const methods = source.statements.flatMap((node) => {
  const members = ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node) ? [...node.members] : [node];
  const owner = members[0] === node ? '' : `${(node as ts.InterfaceDeclaration).name.text}.`;
  return members
    .filter(isCallable)
    .map((method) => ({ name: owner + (method.name?.getText() ?? 'constructor'), method }));
});

/** The parts that the docs of a method lack. */
function lacksOf(method: Callable): string[] {
  const tags = ts.getJSDocTags(method);
  const has = (tag: string) => tags.some(({ tagName }) => tagName.text === tag);
  const documented = tags
    .filter((tag) => ts.isJSDocParameterTag(tag))
    .map(({ name }) => name.getText().split('.')[0]);
  const [comment] = ts.getJSDocCommentsAndTags(method);
  const text =
    comment && ts.isJSDoc(comment)
      ? (ts.getTextOfJSDocComment(comment.comment) ?? '').replace(/\s+/g, ' ')
      : '';
  const returns = method.type?.getText() ?? 'void';
  return [
    ...(text ? [] : ['a summary']),
    ...method.parameters
      .map(({ name }) => name.getText())
      .filter((name) => !documented.includes(name))
      .map((name) => `@param ${name}`),
    ...(/^(Promise<)?void>?$/.test(returns) || has('returns') ? [] : ['@returns']),
    ...(has('throws') || /Never (throws|rejects)\./.test(text) ? [] : ['@throws, or "Never throws."']),
  ];
}

const examples = methods.flatMap(({ method }) =>
  ts
    .getJSDocTags(method)
    .filter(({ tagName }) => tagName.text === 'example')
    .map((tag) => ({ tag, text: ts.getTextOfJSDocComment(tag.comment) ?? '' })),
);
const classExamples = source.statements.flatMap((node) =>
  ts
    .getJSDocTags(node)
    .filter(({ tagName }) => tagName.text === 'example' && ts.isClassDeclaration(node))
    .map((tag) => ({ tag, text: ts.getTextOfJSDocComment(tag.comment) ?? '' })),
);

const imports =
  "import express from 'express'; const app = express(); declare const window: { ethereum: Eip1193Provider };" +
  "import { type Eip1193Provider, Parley, getPublicStream, getStreamChat, newIdempotencyKey, onChain, segmentsOf, verifyWebhook } from '@parley/sdk';\n";

describe('the docs of the public methods', () => {
  it('name every parameter, the result and the errors', () => {
    expect(methods.length).toBeGreaterThan(160);
    const lacking = methods.map(({ name, method }) => [name, lacksOf(method)] as const);
    expect(lacking.filter(([, lacks]) => lacks.length > 0)).toEqual([]);
  });

  it('have examples that compile', () => {
    const blocks = [...classExamples, ...examples].map(({ tag, text }): Block => {
      const line = source.getLineAndCharacterOfPosition(tag.getStart()).line;
      return {
        page,
        line,
        language: 'ts',
        mode: 'example',
        source: `${imports}${text}\n`,
        output: undefined,
      };
    });
    expect(blocks.length).toBeGreaterThan(25);
    expect(checkTypes(blocks)).toEqual([]);
  });
});
