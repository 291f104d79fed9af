/** @typedef {import('./outcomeReporter.mjs').FileOutcome} FileOutcome */

/**
 * Formats a table of the slowest test files, slowest first. CPU seconds include all processes of a file and are shown if they were
 * measured.
 * @param {FileOutcome[]} files
 * @param {number} rows
 */
export function durationsTable(files, rows) {
  const hasCpu = files.some(({ cpuSeconds }) => cpuSeconds !== null);
  // Vitest itself shows the duration of a single file, but not its CPU time.
  if (files.length < 2 && !hasCpu) return '';
  const shown = files.toSorted((a, b) => b.seconds - a.seconds).slice(0, rows);
  /** @param {number | null} seconds */
  const column = (seconds) => (seconds === null ? '-' : seconds.toFixed(1)).padStart(9);
  /** @param {FileOutcome} file */
  const line = ({ seconds, cpuSeconds, path }) =>
    `${column(seconds)}${hasCpu ? column(cpuSeconds) : ''}  ${path}`;
  const sum = {
    seconds: files.reduce((total, { seconds }) => total + seconds, 0),
    cpuSeconds: files.reduce((total, { cpuSeconds }) => total + (cpuSeconds ?? 0), 0),
    path: `all ${files.length} files`,
  };
  return [
    '',
    `${'seconds'.padStart(9)}${hasCpu ? 'CPU'.padStart(9) : ''}  file`,
    ...shown.map(line),
    line({ ...sum, passed: true, failures: [] }),
  ].join('\n');
}
