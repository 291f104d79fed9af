import { readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { printDateFields } from './docs/printDateFields.mjs';
import { printProtocol } from './docs/printProtocol.mjs';
import { createSdkProgram, printSurface } from './docs/printSurface.mjs';

/*
 * Part of `npm run check`: checks that the committed files describe the current code: sdk/api.d.ts the public types of the SDK,
 * sdk/protocol.md the realtime protocol, dateFields.ts the names of times in it. `npm run docs` (--write) updates them.
 */

const root = fileURLToPath(new URL('..', import.meta.url));

const program = createSdkProgram();
const surface = await printSurface(program);
const reports = {
  'sdk/src/connection/dateFields.ts': await printDateFields(),
  'sdk/api.d.ts': surface,
  'sdk/protocol.md': printProtocol(program, surface),
};
for (const [path, text] of Object.entries(reports)) {
  if (process.argv.includes('--write')) writeFileSync(root + path, text);
  else compare(path, text);
}
if (process.argv.includes('--write')) problemsOf(`${root}sdk/api.d.ts`).forEach(fail);

/**
 * @param {string} path
 * @param {string} text
 */
function compare(path, text) {
  const written = readFileSync(root + path, 'utf8');
  if (written === text) return;
  const lines = written.split('\n');
  const line = text.split('\n').findIndex((each, index) => each !== lines[index]);
  fail(
    `${path} does not describe the current code, from line ${line + 1}: "${lines[line]?.trim() ?? ''}". ` +
      'If the change is intended, run `npm run docs` and commit the file.',
  );
}

/**
 * The type errors of a declaration file, such as a name that it does not declare.
 * @param {string} path
 */
function problemsOf(path) {
  const file = ts.createProgram([path], {
    strict: true,
    types: [],
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
  });
  return file
    .getSemanticDiagnostics(file.getSourceFile(path))
    .map(({ messageText }) => `${path}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);
}

/** @param {string} message */
function fail(message) {
  console.error(message);
  process.exitCode = 1;
}
