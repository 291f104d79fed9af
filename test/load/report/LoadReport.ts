import type { Options } from '../options.ts';
import type { GeneratorReport } from './GeneratorWatch.ts';
import type { Failure, ScenarioReport, Times } from './Measures.ts';

/** What `--json` prints. */
export interface LoadReport {
  server: string;
  startedAt: string;
  /** How long the load lasted. */
  seconds: number;
  /** Whether it was ended early by Ctrl-C. */
  interrupted: boolean;
  options: Omit<Options, 'server' | 'token' | 'apiKey' | 'json'>;
  scenarios: Record<string, ScenarioReport>;
  generator: GeneratorReport;
  /** The number of failures in all scenarios. */
  failed: number;
}

/** The report for people. */
export function textOf(report: LoadReport): string {
  const { server, seconds, interrupted, scenarios, generator, failed } = report;
  const lines = [
    `Load on ${server} for ${seconds.toFixed(0)} s${interrupted ? ' (ended early)' : ''}`,
    ...Object.entries(scenarios).flatMap(([name, scenario]) => ['', name, ...scenarioLines(scenario)]),
    '',
    'generator',
    ...generatorLines(generator),
    '',
    failed === 0 ? 'Nothing failed.' : `${failed.toLocaleString('en')} failed.`,
  ];
  return `${lines.join('\n')}\n`;
}

function scenarioLines({ times, counts, packets, failures }: ScenarioReport): string[] {
  const counted = Object.entries(counts).map(([name, count]) => `${count.toLocaleString('en')} ${name}`);
  return [
    ...(counted.length > 0 ? [`  ${counted.join(', ')}`] : []),
    ...timesLines(times),
    ...(packets
      ? [
          `  ${packets.received.toLocaleString('en')} packets received, ${packets.lost.toLocaleString('en')} lost (${packets.lossPercent} %)`,
        ]
      : []),
    ...failures.map(failureLine),
  ];
}

function timesLines(times: Record<string, Times>): string[] {
  const entries = Object.entries(times);
  if (entries.length === 0) return [];
  const cells = (texts: string[]) => texts.map((text) => text.padStart(10)).join('');
  return [
    `  ${'milliseconds'.padEnd(22)}${cells(['p50', 'p95', 'p99', 'max', 'number'])}`,
    ...entries.map(([name, { p50, p95, p99, max, count }]) => {
      const values = [p50, p95, p99, max].map((ms) => ms.toFixed(ms < 100 ? 1 : 0));
      return `  ${name.padEnd(22)}${cells([...values, count.toLocaleString('en')])}`;
    }),
  ];
}

const failureLine = ({ what, code, message, count, hint }: Failure) =>
  `  FAILED ${count.toLocaleString('en')} × ${what}: ${code} (${message})${hint ? `: ${hint}` : ''}`;

function generatorLines(generator: GeneratorReport): string[] {
  const { cores, cpuCores, memoryMegabytes, busyShare, eventLoopDelayMs, lateShare, reasons } = generator;
  return [
    `  ${cpuCores} of ${cores} cores, ${memoryMegabytes} MB, thread busy ${(busyShare * 100).toFixed(0)} %`,
    `  event loop delay p50 ${eventLoopDelayMs.p50} ms, p99 ${eventLoopDelayMs.p99} ms, max ${eventLoopDelayMs.max} ms; sent late ${(lateShare * 100).toFixed(1)} % of the time`,
    ...(reasons.length > 0
      ? [
          `  THE GENERATOR WAS THE LIMIT: ${reasons.join('; ')}. These figures are the generator's, not the server's. Use less load, or more machines.`,
        ]
      : []),
  ];
}
