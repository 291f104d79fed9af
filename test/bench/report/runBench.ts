import { benches } from '../benches.ts';
import { commit, load, machine } from './machine.ts';
import type { Section } from './Report.ts';

/** Runs one benchmark. A failure becomes part of its section, so that the other benchmarks still run. */
export async function runBench(name: string): Promise<Section> {
  const bench = benches[name];
  if (!bench) throw new Error(`there is no benchmark ${name}`);
  const { title, about, run } = bench;
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
  const seconds = () => Math.round((performance.now() - startedAt) / 1_000);
  try {
    const figures = await run();
    return { ...circumstances, seconds: seconds(), figures };
  } catch (error) {
    console.error(error);
    const message = error instanceof Error ? error.message : String(error);
    return { ...circumstances, seconds: seconds(), figures: [], error: message };
  }
}
