import process from 'node:process';
import { durationsTable } from './durationsTable.mjs';
import { runVitest } from './runVitest.mjs';

/** @typedef {import('./outcomeReporter.mjs').FileOutcome} FileOutcome */
/** @typedef {import('./runVitest.mjs').VitestRun} VitestRun */

/**
 * @typedef {object} SuiteOptions
 * @property {string} root the folder with vitest's configuration
 * @property {string[]} [filters] only the files with one of these in their path
 * @property {string[]} [options] for vitest
 * @property {boolean} [durations] prints what each file costs
 * @property {(text: string) => void} [print]
 */

/** What Ctrl-C gives, by custom. */
const interruptedCode = 130;
/** How many of the slowest files every run names. */
const tableRows = 10;

/**
 * Runs the tests. A file that fails is run once more, by itself, after all others. When it passes then, it is flaky: it is reported, and does not
 * fail the run.
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
      print(`\nRunning ${file.path} once more, by itself (${index + 1} of ${failed.length} failed files)\n`);
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
 * What makes a run fail for good, since no file stands for it.
 * @param {VitestRun} run
 * @returns {string | undefined}
 */
function problemOf({ code, outcome }) {
  if (!outcome) return `vitest ended before the tests did (exit code ${code}).`;
  if (outcome.errors.length > 0)
    return ['an error belongs to no test file.', ...outcome.errors.map(indent)].join('\n');
  if (outcome.files.length === 0) return 'no test file has this in its path.';
  if (code !== 0 && outcome.files.every(({ passed }) => passed))
    return `all files passed, but vitest ended with exit code ${code}. Its output above says why.`;
  return undefined;
}

/**
 * @param {VitestRun} run of one file
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
    `\nFLAKY: ${count(files)} failed, and passed when run again alone. A flaky test is a defect: find its cause.`,
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
