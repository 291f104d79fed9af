import { readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { printSurface } from './surface/printSurface.mjs';

/*
 * Part of `npm run check`: checks that sdk/api.d.ts, the committed report of the SDK's public types, describes the current code.
 * `npm run surface` (--write) updates it.
 */

const report = fileURLToPath(new URL('../sdk/api.d.ts', import.meta.url));

const text = await printSurface();
if (process.argv.includes('--write')) {
  writeFileSync(report, text);
  const unknown = problemsOf(report);
  if (unknown.length > 0) fail(unknown.join('\n'));
} else if (text !== readFileSync(report, 'utf8')) {
  const [written, current] = [readFileSync(report, 'utf8').split('\n'), text.split('\n')];
  const line = current.findIndex((each, index) => each !== written[index]);
  fail(
    `The public types of the SDK have changed, from line ${line + 1} of sdk/api.d.ts: "${current[line]?.trim() ?? ''}". ` +
      'If that is intended, run `npm run surface` and commit sdk/api.d.ts.',
  );
}

/**
 * The type errors of the report, such as a name that it does not declare.
 * @param {string} file
 */
function problemsOf(file) {
  const options = {
    strict: true,
    noEmit: true,
    types: [],
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
  };
  const program = ts.createProgram([file], options);
  return program
    .getSemanticDiagnostics(program.getSourceFile(file))
    .map(({ messageText }) => `sdk/api.d.ts: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);
}

/** @param {string} message */
function fail(message) {
  console.error(message);
  process.exitCode = 1;
}
