import { setTimeout as delay } from 'node:timers/promises';
import type { ServerProcess } from '../harness/nodes/ServerProcess.ts';
import type { EntryPoint, OpenEntryPoint, Outcome } from './EntryPoint.ts';
import { Gauge, type Memory } from './Gauge.ts';
import { Random } from './mutate.ts';
import type { Target } from './openTarget.ts';

export interface Plan {
  seed: number;
  count: number;
  /** The index of the first input, for repeating a single input. @default 0 */
  from?: number;
  /** Whether to compare memory before and after, which requires warming up and then waiting for the server to settle. @default false */
  measures?: boolean;
}

export interface Violation {
  /** The index of the input, or of the first input of its batch if the input is unknown. */
  index: number;
  what: string;
}

export interface Result {
  name: string;
  inputs: number;
  kinds: Map<string, number>;
  slowestMs: number;
  memory: { before: Memory; after: Memory } | null;
  violations: Violation[];
}

/** The number of inputs in flight at a time, as if many clients sent them. */
const inFlight = 16;
/** The number of inputs after which the server's log is checked. */
const batchSize = 128;
const answerLimitMs = 30_000;
const mostViolations = 20;

export async function fuzzEntryPoint(
  target: Target,
  [name, open]: [string, OpenEntryPoint],
  { seed, count, from = 0, measures = false }: Plan,
): Promise<Result> {
  const { server } = target;
  const entry = await open(target);
  const gauge = measures ? await Gauge.open(server) : null;
  const result: Result = {
    name,
    inputs: 0,
    kinds: new Map(),
    slowestMs: 0,
    memory: null,
    violations: [],
  };
  try {
    await entry.check();
    if (gauge) {
      const warmUp = { ...result, kinds: new Map<string, number>() };
      await sendAll(server, entry, name, { seed: seed + 1, from: 0, count: Math.ceil(count / 2) }, warmUp);
    }
    const before = gauge && (await gauge.settle());
    await sendAll(server, entry, name, { seed, from, count }, result);
    await entry.check().catch((error: unknown) => {
      result.violations.push({
        index: from + count,
        what: `a valid request fails afterwards: ${String(error)}`,
      });
    });
    if (gauge && before) {
      const after = await gauge.settle(before);
      result.memory = { before, after };
      const grown = gauge.growth(before, after);
      if (grown) result.violations.push({ index: from + count, what: grown });
    }
  } finally {
    gauge?.close();
    await entry.close();
  }
  return result;
}

async function sendAll(
  server: ServerProcess,
  entry: EntryPoint,
  name: string,
  { seed, from, count }: Required<Pick<Plan, 'seed' | 'from' | 'count'>>,
  result: Result,
): Promise<void> {
  for (let first = from; first < from + count; first += batchSize) {
    const logged = server.log.length;
    const end = Math.min(first + batchSize, from + count);
    let next = first;
    const client = async () => {
      while (next < end && result.violations.length < mostViolations) {
        const index = next++;
        await sendOne(entry, new Random(hash(`${seed} ${name} ${index}`)), index, result);
      }
    };
    await Promise.all(Array.from({ length: inFlight }, client));
    for (const line of faultsIn(server.log.slice(logged)))
      result.violations.push({
        index: first,
        what: `logged by one of the ${end - first} inputs from this one on: ${line}`,
      });
    if (!server.isRunning) {
      result.violations.push({ index: first, what: `the process ended: ${server.log.slice(-2_000)}` });
      return;
    }
    if (result.violations.length >= mostViolations) return;
  }
}

async function sendOne(entry: EntryPoint, random: Random, index: number, result: Result): Promise<void> {
  const startedAt = performance.now();
  const late = new AbortController();
  const silence = delay<Outcome>(
    answerLimitMs,
    { kind: 'silence', fault: 'no answer' },
    { signal: late.signal },
  );
  silence.catch(() => undefined);
  const { kind, fault } = await Promise.race([entry.send(random), silence]).catch((error: unknown) => ({
    kind: 'failed',
    fault: `sending failed: ${String((error as Error).stack ?? error)}`,
  }));
  late.abort();
  result.inputs++;
  result.kinds.set(kind, (result.kinds.get(kind) ?? 0) + 1);
  result.slowestMs = Math.max(result.slowestMs, performance.now() - startedAt);
  if (fault) result.violations.push({ index, what: `${kind}: ${fault}` });
}

const error = 50;

/** Finds log lines of level error or fatal, and output that does not come from the logger, such as Node's warnings and crashes. */
export function faultsIn(log: string): string[] {
  return log.split('\n').filter((line) => {
    if (!line.startsWith('{'))
      return /^\S*(Error|Warning)\b|\(node:\d+\)|mediasoup-worker|Assertion|FATAL/.test(line);
    try {
      return (JSON.parse(line) as { level: number }).level >= error;
    } catch {
      // The line is incomplete, because the rest of it is logged later.
      return line.includes(`"level":${error}`);
    }
  });
}

/** Computes the FNV-1a hash of a text. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const character of text) value = Math.imul(value ^ character.charCodeAt(0), 0x01000193);
  return value >>> 0;
}
