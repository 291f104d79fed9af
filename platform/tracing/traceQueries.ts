import pg from 'pg';
import { inSpan } from './tracing.ts';

type Query = (this: unknown, ...args: unknown[]) => unknown;

const longestText = 1_000;

/** Records each query to PostgreSQL as a span with its text, which contains placeholders instead of values. */
export function traceQueries(): void {
  for (const { prototype } of [pg.Pool, pg.Client] as unknown as { prototype: { query: Query } }[]) {
    const { query } = prototype;
    prototype.query = function (...args) {
      const run = () => query.apply(this, args);
      const given = args[0] as string | { text?: string; submit?: unknown };
      const text = typeof given === 'string' ? given : given.text;
      // The pool passes its queries on to a client with a callback, and has a span for them already.
      const isPassedOn = args.some((arg) => typeof arg === 'function');
      if (isPassedOn || text === undefined) return run();
      const facts = { 'db.system.name': 'postgresql', 'db.query.text': text.slice(0, longestText) };
      return inSpan(nameOf(text), facts, run as () => Promise<unknown>);
    };
  }
}

/** The command, for example `SELECT`. */
const nameOf = (text: string) => /^\s*(\w+)/.exec(text)?.[1]?.toUpperCase() ?? 'query';
