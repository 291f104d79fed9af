import { pino } from 'pino';
import { expect, it } from 'vitest';
import { FakeServer } from '../../test/harness/services/FakeServer.ts';
import { startTracing } from './openTelemetry.ts';
import { inSpan } from './tracing.ts';

it('logs once that traces cannot be sent', async () => {
  const collector = await FakeServer.start(() => ({ status: 404 }));
  const lines: string[] = [];
  const log = pino({}, { write: (line) => void lines.push(line) });
  const end = startTracing({ endpoint: collector.url, ratio: 1, service: {}, log });
  for (let count = 0; count < 1_000; count++) await inSpan('work', {}, () => Promise.resolve());
  await end();
  await collector.close();
  expect(collector.received.length).toBeGreaterThan(1);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/"code":404.*traces cannot be sent: check OTEL_EXPORTER_OTLP_ENDPOINT/);
});
