import process from 'node:process';
import { durationsTable } from './durationsTable.mjs';
import { runVitest } from './runVitest.mjs';

/** @typedef {import('./outcomeReporter.mjs').FileOutcome} FileOutcome */
/** @typedef {import('./runVitest.mjs').VitestRun} VitestRun */

/**
 * @typedef {object} SuiteOptions
 * @property {string} root the folder with vitest's configuration
 * @property {string[]} [filters] run only files with one of these in their path
 * @property {string[]} [options] options for vitest
 * @property {boolean} [durations] print the duration and CPU time of each file
 * @property {(text: string) => void} [print]
 */

/** The conventional exit code after Ctrl-C. */
const interruptedCode = 130;
/** How many of the slowest files are printed after a run. */
const tableRows = 10;

/**
 * Runs the tests. A file that fails is run again by itself after all others have finished. If it then passes, it is reported as flaky and
 * does not fail the run.
 * @param {SuiteOptions} options
 * @returns {Promise<number>} the exit code
 */
export async function runSuite({
  root,
  filters = [],
  options = [],
  durations = false,
  print = printToOutput,
}) {
  let interrupted = false;
  const interrupt = () => {
    interrupted = true;
  };
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  try {
    const first = await runVitest(root, [...options, ...filters], durations ? { PARLEY_TEST_CPU: '1' } : {});
    if (interrupted) return interruptedCode;
    const files = first.outcome?.files ?? [];
    print(durationsTable(files, durations ? files.length : tableRows));
    const problem = problemOf(first);
    if (problem) {
      print(`\nFAILED: ${problem}\n`);
      return 1;
    }
    const failed = files.filter(({ passed }) => !passed);
    /** @type {FileOutcome[]} */
    const flaky = [];
    /** @type {FileOutcome[]} */
    const broken = [];
    for (const [index, file] of failed.entries()) {
      print(`\nRunning ${file.path} again by itself (${index + 1} of ${failed.length} failed files)\n`);
      const passed = passes(await runVitest(root, [...options, file.path]), file.path);
      if (interrupted) return interruptedCode;
      (passed ? flaky : broken).push(file);
    }
    if (flaky.length > 0) print(flakyText(flaky));
    if (broken.length > 0) print(brokenText(broken));
    return broken.length > 0 ? 1 : 0;
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

/**
 * Finds a problem that belongs to no file. With such a problem, the run fails without running any file again.
 * @param {VitestRun} run
 * @returns {string | undefined}
 */
function problemOf({ code, outcome }) {
  if (!outcome) return `vitest ended before the tests were finished (exit code ${code}).`;
  if (outcome.errors.length > 0)
    return ['an error belongs to no test file.', ...outcome.errors.map(indent)].join('\n');
  if (outcome.files.length === 0) return 'no test file has any of these in its path.';
  if (code !== 0 && outcome.files.every(({ passed }) => passed))
    return `all files passed, but vitest ended with exit code ${code}. See its output above.`;
  return undefined;
}

/**
 * @param {VitestRun} run the run of one file
 * @param {string} path
 */
function passes({ code, outcome }, path) {
  return (
    code === 0 &&
    outcome?.errors.length === 0 &&
    outcome.files.some((file) => file.path === path && file.passed)
  );
}

/** @param {FileOutcome[]} files */
function flakyText(files) {
  return [
    `\nFLAKY: ${count(files)} failed, and passed when run again by themselves. A flaky test is a defect: find its cause.`,
    ...files.map(failureText),
    '',
  ].join('\n');
}

/** @param {FileOutcome[]} files */
function brokenText(files) {
  return [`\nFAILED: ${count(files)} failed twice.`, ...files.map(failureText), ''].join('\n');
}

/** @param {FileOutcome} file */
function failureText({ path, failures }) {
  const [first] = failures;
  const more = failures.length > 1 ? ` (and ${failures.length - 1} more)` : '';
  const name = [path, ...(first?.test ? [first.test] : [])].join(' > ');
  return `  ${name}${more}\n${indent(first?.error ?? '')}`;
}

/** @param {unknown[]} files */
const count = (files) => (files.length === 1 ? '1 file' : `${files.length} files`);

/** @param {string} text */
const indent = (text) => text.replaceAll(/^/gm, '      ');

/** @param {string} text */
const printToOutput = (text) => void process.stdout.write(`${text}\n`);
