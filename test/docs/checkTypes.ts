import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { nameOf, root, type Block } from './blocks.ts';

const compiler = join(root, 'node_modules/typescript-native/bin/tsc');

/**
 * Type-checks examples against the published types of the SDK.
 * @returns one text for each error, which names the page and line
 */
export function checkTypes(blocks: Block[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'parley-examples-'));
  try {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    // The export makes the file a module, so that it may use top-level await.
    blocks.forEach(({ source }, index) =>
      writeFileSync(join(folder, `block${index}.ts`), `${source}export {};\n`),
    );
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    const config = {
      extends: join(root, 'tsconfig.json'),
      compilerOptions: { paths: { ...ownPaths(), '@parley/sdk': [join(root, 'sdk/api.d.ts')] } },
      include: ['*.ts'],
      files: [join(root, 'test/docs/readerNames.d.ts')],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const args = [compiler, '--noEmit', '--pretty', 'false', '-p', folder];
    const { status, stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
    const errors = stdout.split('\n').filter((line) => line.includes('error TS'));
    // Without errors in examples, the compiler itself may have failed.
    return status === 0 || errors.length > 0 ? errors.map((line) => inPage(line, blocks)) : [stdout];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The places of this repository's packages. */
function ownPaths(): Record<string, string[]> {
  const { stdout } = spawnSync(process.execPath, [compiler, '--showConfig', '-p', root], {
    encoding: 'utf8',
  });
  const config = JSON.parse(stdout) as { compilerOptions: { paths: Record<string, string[]> } };
  const entries = Object.entries(config.compilerOptions.paths);
  return Object.fromEntries(entries.map(([name, paths]) => [name, paths.map((path) => join(root, path))]));
}

/** Replaces the place of an error by the page and its line. */
function inPage(error: string, blocks: Block[]): string {
  const [, index, line, message] = /^block(\d+)\.ts\((\d+),\d+\): error TS\d+: (.*)$/.exec(error) ?? [];
  const block = blocks[Number(index)];
  return block ? `${nameOf(block)}: line ${block.line + Number(line)}: ${message}` : error;
}
