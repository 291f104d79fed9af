import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  status: { code: number };
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[];
  /** The process that sent it. */
  pid: number;
}

interface Export {
  resourceSpans: {
    resource: { attributes: Span['attributes'] };
    scopeSpans: { spans: Omit<Span, 'pid'>[] }[];
  }[];
}

/** A collector of OpenTelemetry, which keeps the spans it gets by OTLP over HTTP, as JSON. */
export class TraceCollector {
  readonly spans: Span[] = [];
  readonly #server: Server;

  static async start(): Promise<TraceCollector> {
    const collector = new TraceCollector();
    await new Promise<void>((resolve) => collector.#server.listen(0, '127.0.0.1', resolve));
    return collector;
  }

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        this.#keep(JSON.parse(Buffer.concat(chunks).toString()) as Export);
        response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
      });
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The spans of each trace. */
  get traces(): Span[][] {
    const traces = new Map<string, Span[]>();
    for (const span of this.spans) traces.set(span.traceId, [...(traces.get(span.traceId) ?? []), span]);
    return [...traces.values()];
  }

  close(): Promise<unknown> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(resolve));
  }

  #keep({ resourceSpans }: Export): void {
    for (const { resource, scopeSpans } of resourceSpans) {
      const pid = Number(resource.attributes.find(({ key }) => key === 'process.pid')?.value.intValue);
      for (const { spans } of scopeSpans) this.spans.push(...spans.map((span) => ({ ...span, pid })));
    }
  }
}
