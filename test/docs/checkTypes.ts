import { resolve } from 'node:path';
import ts from 'typescript';
import { nameOf, root, type Block } from './blocks.ts';

/**
 * Type-checks examples against the published types of the SDK.
 * @returns one text for each error, which names the page and line
 */
export function checkTypes(blocks: Block[]): string[] {
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, (path) => ts.sys.readFile(path)) as {
    config: unknown;
  };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root, {}, `${root}tsconfig.json`);
  options.paths = { ...options.paths, '@parley/sdk': ['./sdk/api.d.ts'] };
  const files = new Map(
    blocks.map((block, index) => [resolve(root, `test/docs/block${index}.ts`), block] as const),
  );
  // The export makes the file a module, so that it may use top-level await.
  const textOf = ({ source }: Block) => `${source}export {};\n`;

  const onDisk = ts.createCompilerHost(options);
  const host: ts.CompilerHost = {
    ...onDisk,
    fileExists: (path) => files.has(path) || onDisk.fileExists(path),
    readFile: (path) => {
      const block = files.get(path);
      return block ? textOf(block) : onDisk.readFile(path);
    },
    getSourceFile: (path, target, ...rest) => {
      const block = files.get(path);
      if (!block) return onDisk.getSourceFile(path, target, ...rest);
      return ts.createSourceFile(path, textOf(block), target);
    },
  };
  const program = ts.createProgram([...files.keys(), `${root}test/docs/readerNames.d.ts`], options, host);
  return ts
    .getPreEmitDiagnostics(program)
    .filter(({ file }) => !file || files.has(file.fileName))
    .map(({ file, start = 0, messageText }) => {
      const message = ts.flattenDiagnosticMessageText(messageText, ' ');
      const block = file && files.get(file.fileName);
      if (!file || !block) return message;
      const line = block.line + 1 + file.getLineAndCharacterOfPosition(start).line;
      return `${nameOf(block)}: line ${line}: ${message}`;
    });
}
