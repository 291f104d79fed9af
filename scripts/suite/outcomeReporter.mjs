import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import process from 'node:process';

/** The environment variable with the path of the file that this reporter writes. */
export const outcomeVariable = 'PARLEY_TEST_OUTCOME';

/** @typedef {{ test: string | null, error: string }} Failure `test` is null for a failure of the whole file */

/**
 * @typedef {object} FileOutcome
 * @property {string} path the path, relative to the root of the repository
 * @property {boolean} passed
 * @property {number} seconds wall-clock time, including the start of the file's process
 * @property {number | null} cpuSeconds CPU time of all processes of the file (see test/harness/run/measureFile.ts); null if not measured
 * @property {Failure[]} failures
 */

/**
 * @typedef {object} Outcome
 * @property {FileOutcome[]} files
 * @property {string[]} errors errors that belong to no test file
 */

/** The errors of vitest's pool: a worker process crashed or did not start. */
const poolError = /^\[vitest-pool\]: /;

/**
 * A reporter for vitest that writes an Outcome at the end of a run. If vitest ends before that, no Outcome is written.
 * @implements {Partial<import('vitest/node').Reporter>}
 */
export default class OutcomeReporter {
  /** @type {readonly import('vitest/node').TestSpecification[]} */
  #specifications = [];

  /** @param {readonly import('vitest/node').TestSpecification[]} specifications */
  onTestRunStart(specifications) {
    this.#specifications = specifications;
  }

  /**
   * @param {readonly import('vitest/node').TestModule[]} modules
   * @param {readonly import('vitest/node').SerializedError[]} errors
   */
  onTestRunEnd(modules, errors) {
    const file = process.env[outcomeVariable];
    if (file) writeFileSync(file, JSON.stringify(outcomeOf(this.#specifications, modules, errors)));
  }
}

/**
 * @param {readonly import('vitest/node').TestSpecification[]} specifications
 * @param {readonly import('vitest/node').TestModule[]} modules
 * @param {readonly import('vitest/node').SerializedError[]} errors
 * @returns {Outcome}
 */
function outcomeOf(specifications, modules, errors) {
  const finished = new Map(modules.map((module) => [module.moduleId, module]));
  const files = specifications.map(({ moduleId, project }) =>
    fileOutcome(relative(project.vitest.config.root, moduleId), finished.get(moduleId), errors),
  );
  const known = new Set(specifications.map(({ moduleId }) => moduleId));
  const ofNoFile = errors.filter(
    ({ VITEST_TEST_PATH: path }) => typeof path !== 'string' || !known.has(path),
  );
  // Each crash leaves one file unfinished, and the failure of that file reports the crash.
  const isCrash = (/** @type {{ message: string }} */ { message }) => poolError.test(message);
  const unfinished = files.filter(({ failures }) => failures.some(({ error }) => error === notFinished));
  const crashesAreExplained = ofNoFile.filter(isCrash).length <= unfinished.length;
  const rest = ofNoFile.filter((error) => !isCrash(error) || !crashesAreExplained);
  return { files, errors: rest.map(textOf) };
}

const notFinished = 'The file did not finish: its process crashed or did not start.';

/**
 * @param {string} path
 * @param {import('vitest/node').TestModule | undefined} module
 * @param {readonly import('vitest/node').SerializedError[]} errors
 * @returns {FileOutcome}
 */
function fileOutcome(path, module, errors) {
  const state = module?.state() ?? 'queued';
  /** @type {Failure[]} */
  const failures = module ? [...failuresOf(module)] : [];
  for (const error of errors) {
    if (module && error.VITEST_TEST_PATH === module.moduleId)
      failures.push({ test: null, error: `Outside any test: ${textOf(error)}` });
  }
  if (state === 'queued' || state === 'pending') failures.push({ test: null, error: notFinished });
  else if (state === 'failed' && failures.length === 0)
    failures.push({ test: null, error: 'The file failed.' });
  const times = module?.diagnostic();
  const milliseconds = times
    ? times.environmentSetupDuration +
      times.prepareDuration +
      times.collectDuration +
      times.setupDuration +
      times.duration
    : 0;
  return {
    path,
    passed: failures.length === 0,
    seconds: milliseconds / 1_000,
    cpuSeconds: module?.meta().cpuSeconds ?? null,
    failures,
  };
}

/**
 * Yields the failures of the file itself and of its hooks, then the failed tests.
 * @param {import('vitest/node').TestModule} module
 * @returns {Generator<Failure>}
 */
function* failuresOf(module) {
  for (const error of module.errors()) yield { test: null, error: textOf(error) };
  for (const suite of module.children.allSuites()) {
    for (const error of suite.errors()) yield { test: suite.fullName, error: textOf(error) };
  }
  for (const test of module.children.allTests()) {
    const result = test.result();
    if (result.state !== 'failed') continue;
    yield { test: test.fullName, error: result.errors[0] ? textOf(result.errors[0]) : 'The test failed.' };
  }
}

/** @param {import('vitest/node').SerializedError} error */
function textOf(error) {
  const frame = error.stacks?.[0];
  const at = frame ? `\n    at ${relative(process.cwd(), frame.file)}:${frame.line}:${frame.column}` : '';
  return `${error.name ?? 'Error'}: ${error.message}${at}`;
}
