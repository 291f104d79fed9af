/** Facts about a span, by the names of OpenTelemetry's conventions. */
export type Facts = Record<string, string | number>;

/** What a trace is continued by in another process: a `traceparent` header (W3C Trace Context). */
export type TraceParent = string;

/** Adds what is known only later, and may replace the name. With `error.type` among the facts, the span has failed. */
export type Describe = (facts: Facts, name?: string) => void;

/** Where spans go. */
export interface Tracing {
  inRequest<T>(name: string, facts: Facts, run: (describe: Describe) => Promise<T>): Promise<T>;
  inSpan<T>(name: string, facts: Facts, run: () => Promise<T>): Promise<T>;
  /** Describes the current trace for another process; undefined where inSpan() records nothing. */
  parent(): TraceParent | undefined;
  /** Runs something as part of a trace of another process. */
  continued<T>(parent: TraceParent, run: () => T): T;
}

let tracing: Tracing | null = null;

/** Call once, before the first request. Until then, and without it, nothing is traced and nothing is loaded for it. */
export function setTracing(to: Tracing): void {
  tracing = to;
}

/** Answers a request and records how long it took. It begins a trace, or continues the one of `continueTrace()`. */
export function inRequest<T>(
  name: string,
  facts: Facts,
  run: (describe: Describe) => Promise<T>,
): Promise<T> {
  return tracing ? tracing.inRequest(name, facts, run) : run(() => {});
}

/**
 * Runs a part of a request and records how long it took. Outside of a request, or after its end, nothing is recorded: what a request has
 * started, such as periodic work, may go on for days.
 */
export function inSpan<T>(name: string, facts: Facts, run: () => Promise<T>): Promise<T> {
  return tracing ? tracing.inSpan(name, facts, run) : run();
}

/** Whether requests are traced. */
export const isTracing = (): boolean => tracing !== null;

/** @see Tracing.parent */
export const traceParent = (): TraceParent | undefined => tracing?.parent();

/** @see Tracing.continued */
export function continueTrace<T>(parent: TraceParent | undefined, run: () => T): T {
  return tracing && parent !== undefined ? tracing.continued(parent, run) : run();
}

/** Names an error, without its message, which may contain what a user has written. */
export function errorType(error: unknown): string {
  const { name = 'Error', code = name } = error as { name?: string; code?: string };
  return String(code);
}
