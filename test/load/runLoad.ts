import { setTimeout as delay } from 'node:timers/promises';
import { bindAddressOf } from './bindAddress.ts';
import type { Options } from './options.ts';
import { GeneratorWatch } from './report/GeneratorWatch.ts';
import { LoadError } from './report/describeError.ts';
import type { LoadReport } from './report/LoadReport.ts';
import { Measures } from './report/Measures.ts';
import { Run } from './Run.ts';
import { browsers } from './scenarios/browsers.ts';
import { calls } from './scenarios/calls.ts';
import { http } from './scenarios/http.ts';
import { messages } from './scenarios/messages.ts';
import { rooms } from './scenarios/rooms.ts';
import { viewers } from './scenarios/viewers.ts';
import type { Scenario } from './Scenario.ts';

const scenarios: Record<string, Scenario> = { rooms, calls, viewers, messages, http, browsers };

/** How long the removal of what the load has made may take. */
const cleanUpLimitMs = 120_000;

/**
 * Runs the wanted scenarios at the same time.
 * @param interrupted aborts the load early; what it has made is removed all the same
 * @throws UsageError before it sends anything
 */
export async function runLoad(options: Options, interrupted: AbortSignal): Promise<LoadReport> {
  const bindAddress = await bindAddressOf(options);
  const startedAt = new Date();
  const ended = new AbortController();
  const generator = new GeneratorWatch();
  const over = AbortSignal.any([interrupted, ended.signal]);
  const run = new Run(options, { bindAddress, over, generator });
  const timer = setTimeout(() => ended.abort(), options.seconds * 1_000);
  const wanted = Object.entries(scenarios).filter(([, scenario]) => scenario.isWanted(options));
  const measured = wanted.map(([name, scenario]) => [name, scenario, new Measures()] as const);
  const running = measured.map(([, scenario, measures]) =>
    scenario.run(run, measures).catch((error: unknown) => measures.fail('scenario', error)),
  );
  await run.untilOver();
  const seconds = (Date.now() - startedAt.getTime()) / 1_000;
  const watched = generator.report;
  const isClean = await Promise.race([
    Promise.all(running).then(() => true),
    delay(cleanUpLimitMs, false, { ref: false }),
  ]);
  if (!isClean)
    for (const [, , measures] of measured.slice(0, 1))
      measures.fail('clean-up', new LoadError('no_answer', `not done after ${cleanUpLimitMs / 1_000} s`));
  clearTimeout(timer);
  run.close();
  generator.close();
  const reports = measured.map(([name, , measures]) => [name, measures.report] as const);
  const { server, token: _token, apiKey: _apiKey, json: _json, ...shown } = options;
  return {
    server: server.origin,
    startedAt: startedAt.toISOString(),
    seconds,
    interrupted: interrupted.aborted,
    options: shown,
    scenarios: Object.fromEntries(reports),
    generator: watched,
    failed: reports.flatMap(([, { failures }]) => failures).reduce((sum, { count }) => sum + count, 0),
  };
}
