import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { formatText } from '../../scripts/formatText.mjs';
import { benches } from './benches.ts';
import { compare, isMet } from './report/Figure.ts';
import { markdown, sectionLines } from './report/markdown.ts';
import type { Origin, Report, Section } from './report/Report.ts';
import { summarize } from './profile/summary.ts';
import { runBench } from './report/runBench.ts';

/*
 * `npm run bench`: runs all benchmarks and writes docs/benchmarks.md and docs/benchmarks.json. `npm run bench -- <name> …`: runs some of
 * them and prints their sections; with --write it also replaces these sections in the report. Exits with 1 if a goal is missed.
 */

const usage = `Usage: npm run bench [-- <name> … [--write] [--profile <folder>]]
       npm run bench -- --page     writes docs/benchmarks.md from docs/benchmarks.json, and measures nothing

Names: ${Object.keys(benches).join(', ')}
`;
const docs = new URL('../../docs/', import.meta.url);
const [page, data] = [new URL('benchmarks.md', docs), new URL('benchmarks.json', docs)];
/** No benchmark takes this long. */
const limitMs = 45 * 60_000;
/** The simulation of a million participants needs more memory than Node.js allows by itself. */
const flags = ['--max-old-space-size=12288'];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    write: { type: 'boolean', default: false },
    page: { type: 'boolean', default: false },
    /** The folder for CPU profiles of all servers, and for what each statement costs. Profiles slow the servers down. */
    profile: { type: 'string' },
    /** Set for the process of one benchmark: the file that its section is written to. */
    section: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const unknown = positionals.filter((name) => !(name in benches));
if (values.help || unknown.length > 0) {
  process.stderr.write(unknown.length > 0 ? `Unknown benchmark: ${unknown.join(', ')}\n\n${usage}` : usage);
  process.exit(values.help ? 0 : 2);
}
if (values.profile && (values.write || positionals.length === 0)) {
  process.stderr.write(
    `Profiles slow the servers down: figures with --profile are not for the report.\n\n${usage}`,
  );
  process.exit(2);
}
if (values.page) {
  await write([], await lastReport());
  process.exit(0);
}
if (values.section === undefined) process.exit((await runAll()) ? 0 : 1);
await writeFile(values.section, JSON.stringify(await runBench(positionals[0] as string)));
process.exit(0);

/** @returns whether all goals are met */
async function runAll(): Promise<boolean> {
  const names = positionals.length > 0 ? positionals : Object.keys(benches);
  const last = await lastReport();
  const sections: Section[] = [];
  for (const [index, name] of names.entries()) {
    process.stdout.write(`\n# ${name} (${index + 1} of ${names.length})\n`);
    const measured = await inOwnProcess(name);
    const before = last?.sections.find((one) => one.name === name);
    const figures = compare(measured.figures, before?.figures ?? []);
    const section = { ...measured, figures, ...(before && { before: originOf(before) }) };
    sections.push(section);
    process.stdout.write(`\n${sectionLines(section, true, benches[name]).join('\n')}\n`);
    // After each benchmark, so that an interrupted run keeps what it has measured.
    if (values.write || positionals.length === 0) await write(sections, last);
  }
  if (values.profile) process.stdout.write(`\n${await summarize(values.profile)}\n`);
  return sections.every(
    ({ figures, error }) => error === undefined && figures.every((figure) => isMet(figure) !== false),
  );
}

function originOf({ measuredAt, commit, machine }: Section): Origin {
  return { measuredAt, commit, machine };
}

/** Runs a benchmark in a process of its own, so that it finds the same conditions alone and after others. */
async function inOwnProcess(name: string): Promise<Section> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-bench-'));
  const file = join(folder, 'section.json');
  try {
    const script = fileURLToPath(import.meta.url);
    const child = spawn(process.execPath, [...flags, '--import', 'tsx', script, name, '--section', file], {
      stdio: 'inherit',
      timeout: limitMs,
      env: { ...process.env, ...(values.profile && { BENCH_PROFILE: resolve(values.profile) }) },
    });
    const [code] = (await once(child, 'exit')) as [number | null];
    const failed = () => Promise.reject(new Error(`The process ended with ${code ?? child.signalCode}.`));
    if (code !== 0) return await runBench(name, failed);
    return JSON.parse(await readFile(file, 'utf8')) as Section;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function lastReport(): Promise<Report | null> {
  return readFile(data, 'utf8').then(
    (text) => JSON.parse(text) as Report,
    () => null,
  );
}

/** Writes the new sections and, for all other benchmarks, those of the last report. */
async function write(sections: Section[], last: Report | null): Promise<void> {
  const sectionOf = (name: string) =>
    [...sections, ...(last?.sections ?? [])].find((section) => section.name === name) ?? [];
  const report: Report = { sections: Object.keys(benches).flatMap(sectionOf) };
  await writeFormatted(page, markdown(report, benches));
  await writeFormatted(data, JSON.stringify(report));
}

async function writeFormatted(file: URL, text: string): Promise<void> {
  await writeFile(file, await formatText(fileURLToPath(file), text));
}
