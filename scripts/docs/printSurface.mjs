import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { formatText } from '../formatText.mjs';
import { sdkEntries } from '../sdkEntries.mjs';
import { createTypePrinter, docsOf } from './typePrinter.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const main = `${root}sdk/src/index.ts`;

const header = `/**
 * Every type and function of the SDK. Generated from sdk/src/index.ts by \`npm run docs\`: do not edit.
 * @document protocol.md
 * @packageDocumentation
 */
`;

/** The program of the SDK's sources. */
export function createSdkProgram() {
  const config = ts.readConfigFile(`${root}tsconfig.json`, (path) => ts.sys.readFile(path));
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, root);
  // Without stable ordering, a change anywhere in the SDK could reorder the members of a union.
  return ts.createProgram(
    sdkEntries.map(({ source }) => root + source),
    { ...options, types: [], stableTypeOrdering: true },
  );
}

/**
 * Prints the public types of an entry of the SDK as one declaration file. Types that are derived from the wire schemas are printed with their
 * fields, classes that are exported only as types become interfaces, and private or \`@internal\` members are left out.
 * @param {ts.Program} program
 * @param {string} [entry] the file of the entry. @default that of @parley/sdk
 * @throws {Error} if a public signature uses a type of sdk/src that is not exported
 */
export async function printSurface(program, entry = main) {
  const checker = program.getTypeChecker();
  const source = /** @type {ts.SourceFile} */ (program.getSourceFile(entry));
  const module = /** @type {ts.Symbol} */ (checker.getSymbolAtLocation(source));
  const exported = checker.getExportsOfModule(module).map((symbol) => {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    const isType = symbol.declarations?.some(ts.isTypeOnlyExportDeclaration) ?? false;
    return { name: symbol.name, target, isType };
  });
  const printer = createTypePrinter(checker, exported);

  const text = exported
    .map(({ name, target, isType }) =>
      declare(name, /** @type {ts.Declaration} */ (target.declarations?.[0]), isType),
    )
    .join('\n\n');
  return formatText(entry, `${entry === main ? header : ''}\n${printer.imports()}\n\n${text}\n`);

  /**
   * @param {string} name
   * @param {ts.Declaration} node
   * @param {boolean} isType
   */
  function declare(name, node, isType) {
    const docs = docsOf(checker, node);
    if (ts.isTypeAliasDeclaration(node)) return docs + alias(name, node);
    if (ts.isInterfaceDeclaration(node))
      return `${docs}export interface ${name}${heritage(node)} {\n${members(node)}\n}`;
    if (ts.isClassDeclaration(node)) {
      const base = hiddenBase(node);
      const body = (base ? `${members(base)}\n` : '') + members(node);
      if (isType) return `${docs}export interface ${name} {\n${body}\n}`;
      return `${docs}export declare class ${name}${base ? '' : heritage(node)} {\n${body}\n}`;
    }
    if (ts.isFunctionDeclaration(node)) return `${docs}export declare function ${name}${signature(node)};`;
    if (ts.isVariableDeclaration(node)) {
      const statement = docsOf(checker, node.parent.parent);
      const value = node.initializer;
      if (value && ts.isArrowFunction(value))
        return `${statement}export declare function ${name}${signature(value)};`;
      return `${statement}export declare const ${name}: ${printer.print(checker.getTypeAtLocation(node))};`;
    }
    throw new Error(
      `${name}: scripts/docs cannot print this kind of declaration (${ts.SyntaxKind[node.kind]}).`,
    );
  }

  /**
   * @param {string} name
   * @param {ts.TypeAliasDeclaration} node
   */
  function alias(name, node) {
    const parameters = typeParameters(node);
    if (printer.isPublic(node.type)) return `export type ${name}${parameters} = ${node.type.getText()};`;
    const type = checker.getTypeAtLocation(node);
    const body = printer.expand(type);
    return body.startsWith('{') && !type.isUnion() && !type.isIntersection()
      ? `export interface ${name}${parameters} ${body}`
      : `export type ${name}${parameters} = ${body};`;
  }

  /**
   * The class of the SDK that a class extends, if it is not exported: its members are printed as those of the class.
   * @param {ts.ClassDeclaration} node
   */
  function hiddenBase(node) {
    const [extended] = node.heritageClauses?.flatMap(({ types }) => [...types]) ?? [];
    const base = extended && checker.getTypeAtLocation(extended.expression).symbol?.valueDeclaration;
    const isHere = base?.getSourceFile().fileName.startsWith(`${root}sdk/src/`);
    return base && isHere && ts.isClassDeclaration(base) ? base : undefined;
  }

  /** @param {ts.ClassDeclaration | ts.InterfaceDeclaration} node */
  function heritage(node) {
    return (
      typeParameters(node) + (node.heritageClauses ?? []).map((clause) => ` ${clause.getText()}`).join('')
    );
  }

  /** @param {{ typeParameters?: ts.NodeArray<ts.TypeParameterDeclaration> | undefined }} node */
  function typeParameters({ typeParameters: list }) {
    return list ? `<${list.map((each) => each.getText()).join(', ')}>` : '';
  }

  /** @param {ts.ClassDeclaration | ts.InterfaceDeclaration} node */
  function members(node) {
    return [...node.members].map(member).filter(Boolean).join('\n');
  }

  /** @param {ts.ClassElement | ts.TypeElement} node */
  function member(node) {
    if (isHidden(node)) return '';
    const docs = docsOf(checker, node);
    if (ts.isConstructorDeclaration(node)) {
      // A class that is exported only as a type has no constructor for apps.
      return ts.isClassDeclaration(node.parent) &&
        exported.some(({ target, isType }) => !isType && target.valueDeclaration === node.parent)
        ? `${docs}constructor${signature(node)};`
        : '';
    }
    const name = node.name?.getText() ?? '';
    const isStatic =
      ts.canHaveModifiers(node) && node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.StaticKeyword);
    const start = docs + (isStatic ? 'static ' : '');
    if (ts.isMethodDeclaration(node) || ts.isMethodSignature(node))
      return `${start}${name}${signature(node)};`;
    if (ts.isGetAccessor(node)) return `${start}readonly ${name}: ${typeText(node.type, node)};`;
    if (ts.isPropertyDeclaration(node) || ts.isPropertySignature(node)) {
      const isReadonly = node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ReadonlyKeyword);
      return `${start}${isReadonly ? 'readonly ' : ''}${name}${node.questionToken ? '?' : ''}: ${typeText(node.type, node)};`;
    }
    throw new Error(`${name}: scripts/docs cannot print this kind of member (${ts.SyntaxKind[node.kind]}).`);
  }

  /** @param {ts.SignatureDeclaration} node */
  function signature(node) {
    const documented = ts
      .getAllJSDocTags(node, ts.isJSDocParameterTag)
      .map(({ name }) => name.getText().split('.')[0]);
    const named = node.parameters.map((parameter) => parameter.name.getText());
    const parameters = node.parameters.map((parameter) => {
      // A destructured parameter has the name that its docs give it.
      const name = ts.isIdentifier(parameter.name)
        ? parameter.name.text
        : (documented.find((each) => each && !named.includes(each)) ?? 'options');
      const optional = (parameter.questionToken ?? parameter.initializer) ? '?' : '';
      return `${parameter.dotDotDotToken ? '...' : ''}${name}${optional}: ${typeText(parameter.type, parameter)}`;
    });
    const returned = ts.isConstructorDeclaration(node)
      ? ''
      : `: ${node.type ? typeText(node.type, node) : printer.print(/** @type {ts.Signature} */ (checker.getSignatureFromDeclaration(node)).getReturnType())}`;
    return `${typeParameters(node)}(${parameters.join(', ')})${returned}`;
  }

  /**
   * @param {ts.TypeNode | undefined} node
   * @param {ts.Node} declaration
   */
  function typeText(node, declaration) {
    if (!node) return printer.print(checker.getTypeAtLocation(declaration));
    return printer.isPublic(node) ? node.getText() : printer.print(checker.getTypeFromTypeNode(node));
  }
}

/** @param {ts.ClassElement | ts.TypeElement} node */
function isHidden(node) {
  const isPrivate =
    ts.canHaveModifiers(node) &&
    node.modifiers?.some(
      ({ kind }) => kind === ts.SyntaxKind.PrivateKeyword || kind === ts.SyntaxKind.ProtectedKeyword,
    );
  return (
    isPrivate ||
    (node.name && ts.isPrivateIdentifier(node.name)) ||
    ts.getJSDocTags(node).some(({ tagName }) => tagName.text === 'internal')
  );
}
