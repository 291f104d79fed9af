/** Facts about a span, by the names of OpenTelemetry's conventions. */
export type Facts = Record<string, string | number>;

/** What a trace is continued by in another process: a `traceparent` header (W3C Trace Context). */
export type TraceParent = string;

/** Adds what is known only later, and may replace the name. */
export type Describe = (facts: Facts, name?: string) => void;

/** Where spans go. */
export interface Tracing {
  inSpan<T>(name: string, facts: Facts, run: (describe: Describe) => Promise<T>): Promise<T>;
  /** Describes the current trace for another process; undefined outside of one. */
  parent(): TraceParent | undefined;
  /** Runs something as part of a trace of another process. */
  continued<T>(parent: TraceParent, run: () => T): T;
}

let tracing: Tracing | null = null;

/** Call once, before the first request. Until then, and without it, nothing is traced and nothing is loaded for it. */
export function setTracing(to: Tracing): void {
  tracing = to;
}

/** Runs something and records how long it took, as a part of the current trace. */
export function inSpan<T>(name: string, facts: Facts, run: (describe: Describe) => Promise<T>): Promise<T> {
  return tracing ? tracing.inSpan(name, facts, run) : run(() => {});
}

/** Whether requests are traced. */
export const isTracing = (): boolean => tracing !== null;

/** @see Tracing.parent */
export const traceParent = (): TraceParent | undefined => tracing?.parent();

/** @see Tracing.continued */
export function continueTrace<T>(parent: TraceParent | undefined, run: () => T): T {
  return tracing && parent !== undefined ? tracing.continued(parent, run) : run();
}
