import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Span,
  type SpanOptions,
  type Tracer,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import { traceQueries } from './traceQueries.ts';
import {
  errorType,
  setTracing,
  type Describe,
  type Facts,
  type TraceParent,
  type Tracing,
} from './tracing.ts';

interface TracingOptions {
  /** OTEL_EXPORTER_OTLP_ENDPOINT. The exporter reads OTEL_EXPORTER_OTLP_HEADERS from the environment itself. */
  endpoint: string;
  /** The share of traces that are recorded, 0 to 1. */
  ratio: number;
  /** The name, the release and the host of this server, by the names of OpenTelemetry's conventions. */
  service: Facts;
  log: Logger;
}

/** Starts to send traces to a collector by OTLP over HTTP. @returns a function that sends what is left, and ends this */
export function startTracing({ endpoint, ratio, service, log }: TracingOptions): () => Promise<void> {
  const exporter = new LoggedExporter(`${endpoint.replace(/\/$/, '')}/v1/traces`, log);
  const provider = new TracerProvider({
    resource: resourceFromAttributes(service),
    // It decides by the id of the trace alone. So all nodes decide alike, and the flags that clients send have no effect.
    sampler: new TraceIdRatioBasedSampler(ratio),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  const tracer = provider.getTracer('parley');
  setTracing(new OpenTelemetry(tracer));
  traceQueries();
  // It rejects when the last traces cannot be sent, which is logged.
  return () => provider.shutdown().catch(() => undefined);
}

/** Logs when traces cannot be sent, and when they can again. OpenTelemetry itself drops them without a word. */
class LoggedExporter extends OTLPTraceExporter {
  readonly #log: Logger;
  #isFailing = false;

  constructor(url: string, log: Logger) {
    super({ url });
    this.#log = log;
  }

  override export(...[spans, done]: Parameters<OTLPTraceExporter['export']>): void {
    super.export(spans, (result) => {
      const isFailing = result.code === ExportResultCode.FAILED;
      if (isFailing && !this.#isFailing) this.#log.warn({ err: result.error }, cannotSend);
      if (!isFailing && this.#isFailing) this.#log.info('traces are sent again');
      this.#isFailing = isFailing;
      done(result);
    });
  }
}

const cannotSend = 'traces cannot be sent: check OTEL_EXPORTER_OTLP_ENDPOINT, and whether the collector runs';

class OpenTelemetry implements Tracing {
  readonly #tracer: Tracer;

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  inRequest<T>(name: string, facts: Facts, run: (describe: Describe) => Promise<T>): Promise<T> {
    return this.#record(name, { kind: SpanKind.SERVER, attributes: facts }, (span) =>
      run((more, rename) => {
        span.setAttributes(more);
        if (more['error.type'] !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
        if (rename !== undefined) span.updateName(rename);
      }),
    );
  }

  inSpan<T>(name: string, facts: Facts, run: () => Promise<T>): Promise<T> {
    if (!isRecording()) return run();
    const kind = 'db.system.name' in facts ? SpanKind.CLIENT : SpanKind.INTERNAL;
    return this.#record(name, { kind, attributes: facts }, run);
  }

  #record<T>(name: string, options: SpanOptions, run: (span: Span) => Promise<T>): Promise<T> {
    return this.#tracer.startActiveSpan(name, options, async (span) => {
      try {
        return await run(span);
      } catch (error) {
        markFailed(span, error);
        throw error;
      } finally {
        span.end();
      }
    });
  }

  parent(): TraceParent | undefined {
    if (!isRecording()) return undefined;
    const carrier: { traceparent?: string } = {};
    propagation.inject(context.active(), carrier);
    return carrier.traceparent;
  }

  continued<T>(traceparent: TraceParent, run: () => T): T {
    return context.with(propagation.extract(ROOT_CONTEXT, { traceparent }), run);
  }
}

/** Whether this runs in a span that is recorded and has not ended. */
const isRecording = () => trace.getActiveSpan()?.isRecording() === true;

function markFailed(span: Span, error: unknown): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.setAttribute('error.type', errorType(error));
}
