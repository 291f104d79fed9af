import { parseArgs } from 'node:util';
import { entryPoints } from './entryPoints.ts';
import { openTarget } from './openTarget.ts';
import { fuzzEntryPoint, type Result } from './run.ts';
import { tableOf } from './table.ts';

/*
 * `npm run fuzz -- [entry point] [--count N] [--seed S] [--from I]` sends mutated inputs to one or every entry point of a server. The same
 * seed generates the same inputs; `--from I --count 1` repeats one of them. If there are faults, it prints their inputs and exits with 1.
 */

const print = (text: string) => process.stdout.write(`${text}\n`);

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { count: { type: 'string' }, seed: { type: 'string' }, from: { type: 'string' } },
});
const [chosen] = positionals;
if (chosen !== undefined && !Object.hasOwn(entryPoints, chosen)) {
  print(`Unknown entry point. Usage: npm run fuzz -- ${Object.keys(entryPoints).join(' | ')}`);
  process.exit(2);
}
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const count = Number(values.count ?? 10_000);
print(`seed ${seed}`);

/** The minimum number of inputs for which memory is measured. With fewer inputs, its growth would mean nothing. */
const leastMeasured = 300;

const results: Result[] = [];
for (const [name, open] of Object.entries(entryPoints).filter(
  ([name]) => chosen === undefined || name === chosen,
)) {
  const target = await openTarget({ isCluster: name === 'link' });
  try {
    const plan = { seed, count, from: Number(values.from ?? 0), measures: count >= leastMeasured };
    const result = await fuzzEntryPoint(target, [name, open], plan);
    results.push(result);
    for (const { index, what } of result.violations)
      print(`\n${name}, seed ${seed}, input ${index}: ${what}`);
  } finally {
    await target.close();
  }
}
print(tableOf(results));
process.exit(results.some(({ violations }) => violations.length > 0) ? 1 : 0);
