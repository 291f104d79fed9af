import { benches } from '../benches.ts';
import { commit, load, machine } from './machine.ts';
import type { Figure } from './Figure.ts';
import type { Section } from './Report.ts';

/** Runs one benchmark. A failure becomes part of its section, so that the other benchmarks still run. */
export async function runBench(name: string, run = benches[name]?.run): Promise<Section> {
  const bench = benches[name];
  if (!bench || !run) throw new Error(`there is no benchmark ${name}`);
  const { title, about } = bench;
  const startedAt = performance.now();
  const circumstances = {
    name,
    title,
    about,
    measuredAt: new Date().toISOString(),
    commit: commit(),
    machine: machine(),
    loadBefore: load(),
  };
  let measured: { figures: Figure[]; error?: string };
  try {
    measured = { figures: await run() };
  } catch (error) {
    console.error(error);
    measured = { figures: [], error: error instanceof Error ? error.message : String(error) };
  }
  return { ...circumstances, seconds: Math.round((performance.now() - startedAt) / 1_000), ...measured };
}
