import { setTimeout as delay } from 'node:timers/promises';
import { SpanKind } from '@opentelemetry/api';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { FakeServer } from '../../test/harness/services/FakeServer.ts';
import { TraceCollector } from '../../test/harness/services/TraceCollector.ts';
import { startTracing } from './openTelemetry.ts';
import { inRequest, inSpan, traceParent } from './tracing.ts';

it('logs once that traces cannot be sent', async () => {
  const collector = await FakeServer.start(() => ({ status: 404 }));
  const lines: string[] = [];
  const log = pino({}, { write: (line) => void lines.push(line) });
  const end = startTracing({ endpoint: collector.url, ratio: 1, service: {}, log });
  for (let count = 0; count < 1_000; count++) await inRequest('work', {}, () => Promise.resolve());
  await end();
  await collector.close();
  expect(collector.received.length).toBeGreaterThan(1);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/"code":404.*traces cannot be sent: check OTEL_EXPORTER_OTLP_ENDPOINT/);
});

it('records a request with its parts, and neither what goes on after it nor what belongs to none', async () => {
  const collector = await TraceCollector.start();
  const end = startTracing({
    endpoint: collector.url,
    ratio: 1,
    service: {},
    log: pino({ level: 'silent' }),
  });
  const parents: unknown[] = [];
  let later = Promise.resolve();
  const part = () => Promise.resolve(void parents.push(traceParent()));
  await inRequest('request', {}, async () => {
    await inSpan('query', { 'db.system.name': 'postgresql' }, part);
    later = delay(20).then(() => inSpan('periodic work', {}, part));
  });
  await later;
  await inSpan('heartbeat', {}, () => Promise.resolve());
  const failing = inRequest('failing request', {}, (describe) => {
    describe({ 'error.type': '500' });
    return Promise.resolve();
  });
  await failing;
  await end();
  await collector.close();
  const spans = collector.spans.map(({ name, kind, status }) => [name, kind, status.code]);
  // OTLP numbers the kinds from 1. Status 2 is an error.
  expect(spans).toEqual([
    ['query', SpanKind.CLIENT + 1, 0],
    ['request', SpanKind.SERVER + 1, 0],
    ['failing request', SpanKind.SERVER + 1, 2],
  ]);
  expect(parents).toEqual([expect.stringMatching(/^00-[\da-f]{32}-[\da-f]{16}-01$/), undefined]);
});
