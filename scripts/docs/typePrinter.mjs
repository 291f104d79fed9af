import ts from 'typescript';

/**
 * Prints types for the SDK's declaration file: exported types by their name, all others with their fields.
 * @param {ts.TypeChecker} checker
 * @param {{ name: string, target: ts.Symbol }[]} exported
 */
export function createTypePrinter(checker, exported) {
  const names = new Map(exported.map(({ name, target }) => [target, name]));
  const named = namedTypes();
  /** @type {Map<string, Set<string>>} */
  const imported = new Map();
  /** The types that are being expanded. @type {ts.Type[]} */
  const open = [];
  return { print, expand, isPublic, imports };

  /** Exported types by identity. If two names have the same type, neither is used for it. */
  function namedTypes() {
    /** @type {Map<ts.Type, string | null>} */
    const found = new Map();
    for (const { name, target } of exported) {
      const isGeneric = target.declarations?.some(
        (node) => ts.isTypeAliasDeclaration(node) && node.typeParameters,
      );
      if (!(target.flags & ts.SymbolFlags.Type) || isGeneric) continue;
      const type = checker.getDeclaredTypeOfSymbol(target);
      if (type.isUnion() || type.flags & (ts.TypeFlags.Object | ts.TypeFlags.TemplateLiteral))
        found.set(type, found.has(type) ? null : name);
    }
    return found;
  }

  /**
   * Whether a type in the source can be printed as it is: all names in it are exported, global, type parameters or of a dependency.
   * @param {ts.Node} node
   * @returns {boolean}
   */
  function isPublic(node) {
    if (ts.isIndexedAccessTypeNode(node) || ts.isTypeQueryNode(node)) return false;
    if (ts.isTypeReferenceNode(node) && !isPublicName(node.typeName)) return false;
    return ts.forEachChild(node, (child) => !isPublic(child)) !== true;
  }

  /** @param {ts.EntityName} name */
  function isPublicName(name) {
    const symbol = checker.getSymbolAtLocation(name);
    if (!symbol) return false;
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    if (names.get(target) === name.getText() || target.flags & ts.SymbolFlags.TypeParameter) return true;
    const place = symbol.declarations?.[0];
    if (place && ts.isImportSpecifier(place)) {
      const specifier = /** @type {ts.StringLiteral} */ (place.parent.parent.parent.moduleSpecifier).text;
      if (specifier.startsWith('.') || specifier === 'zod') return false;
      imported.set(specifier, (imported.get(specifier) ?? new Set()).add(name.getText()));
      return true;
    }
    return isForeign(target);
  }

  /** The import statements for the types of dependencies that were printed. */
  function imports() {
    return [...imported]
      .sort()
      .map(([specifier, list]) => `import type { ${[...list].sort().join(', ')} } from '${specifier}';`)
      .join('\n');
  }

  /**
   * @param {ts.Type} type
   * @returns {string}
   */
  function print(type) {
    const alias = type.aliasSymbol && names.get(type.aliasSymbol);
    if (alias && !type.aliasTypeArguments) return alias;
    if (!named.has(type)) named.set(type, sameType(type));
    return named.get(type) ?? expand(type);
  }

  /**
   * The name of an exported type with the same fields: a type that is derived from the schemas in two ways is two types to the compiler.
   * @param {ts.Type} type
   */
  function sameType(type) {
    const shape = shapeOf(type);
    if (!shape) return null;
    const same = [...named].filter(
      ([other, name]) =>
        name &&
        shapeOf(other) === shape &&
        checker.isTypeAssignableTo(type, other) &&
        checker.isTypeAssignableTo(other, type),
    );
    const [first, ...others] = new Set(same.map(([, name]) => name));
    return first && others.length === 0 ? first : null;
  }

  /**
   * The names of an object's fields, or of the objects of a union; empty for other types.
   * @param {ts.Type} type
   * @returns {string}
   */
  function shapeOf(type) {
    if (type.isUnion()) return type.types.map(shapeOf).sort().join('|');
    if (!(type.flags & ts.TypeFlags.Object) || checker.isArrayType(type) || isForeign(type.symbol)) return '';
    return checker
      .getPropertiesOfType(type)
      .map(({ name, flags }) => name + (flags & ts.SymbolFlags.Optional ? '?' : ''))
      .sort()
      .join();
  }

  /**
   * @param {ts.Type} type
   * @returns {string}
   */
  function expand(type) {
    if (type.flags & ts.TypeFlags.Boolean) return 'boolean';
    if (type.isUnion()) return union(type);
    // A branded string of the wire is a string for apps.
    if (type.isIntersection() && type.types.some(({ flags }) => flags & ts.TypeFlags.String)) return 'string';
    if (checker.isTupleType(type))
      return `[${checker.getTypeArguments(/** @type {ts.TypeReference} */ (type)).map(print).join(', ')}]`;
    if (checker.isArrayType(type)) {
      const item = print(
        /** @type {ts.Type} */ (checker.getTypeArguments(/** @type {ts.TypeReference} */ (type))[0]),
      );
      return /^\w+$/.test(item) ? `${item}[]` : `(${item})[]`;
    }
    const [call] = type.getCallSignatures();
    if (call) return arrow(call);
    if (!(type.flags & ts.TypeFlags.Object) || (type.symbol && isForeign(type.symbol)))
      return checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation);
    const declaration = type.symbol?.declarations?.[0];
    if (declaration && ts.isClassDeclaration(declaration)) throw notExported(type.symbol.name);
    if (declaration && ts.isInterfaceDeclaration(declaration) && !isProtocol(declaration))
      throw notExported(type.symbol.name);
    if (open.includes(type))
      throw new Error(`${checker.typeToString(type)} contains itself. Export it under a name of its own.`);
    open.push(type);
    const text = object(type);
    open.pop();
    return text;
  }

  /**
   * @param {ts.UnionType} type
   * @param {boolean} hasUndefined whether to print `undefined`, which is superfluous in an optional field
   * @returns {string}
   */
  function union(type, hasUndefined = true) {
    const { Null, Undefined, BooleanLiteral } = ts.TypeFlags;
    const has = (/** @type {ts.TypeFlags} */ flag) => type.types.some(({ flags }) => flags & flag);
    const nothing = [
      ...(has(Null) ? ['null'] : []),
      ...(has(Undefined) && hasUndefined ? ['undefined'] : []),
    ];
    // Without null and undefined, the rest may be an exported union.
    if (has(Null | Undefined)) return [print(checker.getNonNullableType(type)), ...nothing].join(' | ');
    const isBoolean = type.types.filter(({ flags }) => flags & BooleanLiteral).length === 2;
    const rest = type.types.filter(({ flags }) => !isBoolean || !(flags & BooleanLiteral));
    return [...rest.map(print), ...(isBoolean ? ['boolean'] : [])].join(' | ');
  }

  /** @param {ts.Type} type */
  function object(type) {
    const fields = checker.getPropertiesOfType(type).map((property) => {
      const isOptional = (property.flags & ts.SymbolFlags.Optional) !== 0;
      const value = checker.getTypeOfSymbol(property);
      const text = isOptional && value.isUnion() ? union(value, false) : print(value);
      const name = /^\w+$/.test(property.name) ? property.name : JSON.stringify(property.name);
      // The names of types such as Address say what their schemas describe.
      const docs = docsOf(checker, property.declarations?.[0], !/^[A-Z]/.test(text));
      return `${docs}${name}${isOptional ? '?' : ''}: ${text};`;
    });
    const [index] = checker.getIndexInfosOfType(type);
    if (index) return `Record<${print(index.keyType)}, ${print(index.type)}>`;
    return `{\n${fields.join('\n')}\n}`;
  }

  /** @param {ts.Signature} call */
  function arrow(call) {
    const parameters = call.parameters.map(
      (parameter) => `${parameter.name}: ${print(checker.getTypeOfSymbol(parameter))}`,
    );
    return `(${parameters.join(', ')}) => ${print(call.getReturnType())}`;
  }
}

/** Whether a name is declared outside this repository. @param {ts.Symbol} symbol */
const isForeign = (symbol) =>
  symbol.name !== '__type' &&
  (symbol.declarations ?? []).every((node) => node.getSourceFile().isDeclarationFile);

/** @param {ts.Node} node */
const isProtocol = (node) => node.getSourceFile().fileName.includes('/sdk/protocol/');

/** @param {string} name */
const notExported = (name) =>
  new Error(
    `The public types of the SDK use ${name}. Export it from sdk/src/index.ts, or mark what uses it @internal.`,
  );

/**
 * The text of a declaration's comment, without its tags.
 * @param {ts.Node | undefined} node
 */
export function commentOf(node) {
  const comment = /** @type {{ jsDoc?: ts.JSDoc[] } | undefined} */ (node)?.jsDoc?.at(-1)?.comment;
  return (ts.getTextOfJSDocComment(comment) ?? '').replace(/\s+/g, ' ');
}

/**
 * The docs of a declaration: its JSDoc comment, or the description of its schema.
 * @param {ts.TypeChecker} checker
 * @param {ts.Node | undefined} node
 * @param {boolean} follows whether to read the description of a schema that is defined elsewhere
 */
export function docsOf(checker, node, follows = false) {
  if (!node) return '';
  const comment = /** @type {{ jsDoc?: ts.JSDoc[] }} */ (node).jsDoc?.at(-1)?.getText();
  const text = comment ? undefined : descriptionOf(checker, node, follows);
  return comment ? `${comment}\n` : text ? `/** ${text} */\n` : '';
}

/**
 * The description of a schema: the text of the outermost `.describe('…')` or `.meta({ description: '…' })`.
 * @param {ts.TypeChecker} checker
 * @param {ts.Node} node a field of a schema, or an expression in it
 * @param {boolean} follows
 * @returns {string | undefined}
 */
function descriptionOf(checker, node, follows) {
  if (ts.isPropertyAssignment(node)) return descriptionOf(checker, node.initializer, follows);
  if (follows && (ts.isShorthandPropertyAssignment(node) || ts.isIdentifier(node))) {
    const symbol = ts.isIdentifier(node)
      ? checker.getSymbolAtLocation(node)
      : checker.getShorthandAssignmentValueSymbol(node);
    const target = symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    const declaration = target?.valueDeclaration;
    return declaration && ts.isVariableDeclaration(declaration) && declaration.initializer
      ? descriptionOf(checker, declaration.initializer, follows)
      : undefined;
  }
  if (ts.isAsExpression(node)) return descriptionOf(checker, node.expression, follows);
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined;
  const [argument] = node.arguments;
  const method = node.expression.name.text;
  if (method === 'describe' && argument && ts.isStringLiteralLike(argument)) return argument.text;
  if (method === 'meta' && argument && ts.isObjectLiteralExpression(argument)) {
    const field = argument.properties.find((each) => each.name?.getText() === 'description');
    if (field && ts.isPropertyAssignment(field) && ts.isStringLiteralLike(field.initializer))
      return field.initializer.text;
  }
  return descriptionOf(checker, node.expression.expression, follows);
}
