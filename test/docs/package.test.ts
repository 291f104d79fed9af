import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { blocksOf, readPage, root } from './blocks.ts';

/* The npm package as an app outside this repository installs it. */

const app = mkdtempSync(join(tmpdir(), 'parley-package-'));
const installed = join(app, 'node_modules/@parley/sdk');

beforeAll(() => {
  execFileSync('npm', ['run', 'pack:sdk', '--', '--pack-destination', app], { cwd: root, stdio: 'pipe' });
  const archive = readdirSync(app).find((name) => name.endsWith('.tgz')) ?? '';
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', join(app, archive), '-C', installed, '--strip-components=1']);
  const { dependencies } = JSON.parse(readPage('sdk/package.json')) as { dependencies: object };
  for (const name of Object.keys(dependencies))
    symlinkSync(join(root, 'node_modules', name), join(app, 'node_modules', name));
  writeFileSync(join(app, 'package.json'), '{ "type": "module" }');
});
afterAll(() => rmSync(app, { recursive: true, force: true }));

it('contains its license and every file that it names', () => {
  expect(readFileSync(join(installed, 'LICENSE'), 'utf8')).toBe(readPage('LICENSE'));
  const links = [...readFileSync(join(installed, 'README.md'), 'utf8').matchAll(/\]\((?!https?:)([^)#]+)/g)];
  const script = readFileSync(join(installed, 'dist/index.js'), 'utf8');
  const [, map = ''] = /^\/\/# sourceMappingURL=(.+)$/m.exec(script) ?? [];
  const { files } = JSON.parse(readPage('sdk/package.json')) as { files: string[] };
  const named = [...links.map(([, target = '']) => target), `dist/${map}`, ...files];
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((path) => !existsSync(join(installed, path)))).toEqual([]);
});

it('can be imported', () => {
  const script = `import('@parley/sdk').then((sdk) => console.log(typeof sdk.Parley))`;
  const printed = execFileSync(process.execPath, ['-e', script], { cwd: app, encoding: 'utf8' });
  expect(printed.trim()).toBe('function');
  expect(existsSync(new URL('dist/parley-push.js', `${pathToFileURL(installed).href}/`))).toBe(true);
});

it.each([
  ['bundler', ts.ModuleKind.ESNext, ts.ModuleResolutionKind.Bundler],
  ['nodenext', ts.ModuleKind.NodeNext, ts.ModuleResolutionKind.NodeNext],
])('has types with which the example of its README compiles (%s)', (name, module, moduleResolution) => {
  const [example] = blocksOf('sdk/README.md');
  const path = join(app, `${name}.ts`);
  writeFileSync(path, example?.source ?? '');
  const program = ts.createProgram([path], {
    ...{ module, moduleResolution, strict: true, noEmit: true, types: [] },
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
  });
  const problems = ts.getPreEmitDiagnostics(program).map(({ messageText }) => messageText);
  expect(problems).toEqual([]);
});
