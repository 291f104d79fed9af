import type { Random } from './mutate.ts';
import type { Target } from './openTarget.ts';

/** What became of an input. */
export interface Outcome {
  /** As it is counted in the table: a status, a code, or what the connection did. */
  kind: string;
  /** What the server must not answer: with the input and the answer, for a person to read. */
  fault?: string;
}

/** A way into the server, ready to be fuzzed. */
export interface EntryPoint {
  /** Makes one input of nothing but `random`, apart from ids that the server gave, and sends it. */
  send(random: Random): Promise<Outcome>;
  /** A good request. @throws where it is not answered well */
  check(): Promise<void>;
  close(): Promise<void>;
}

export type OpenEntryPoint = (target: Target) => Promise<EntryPoint>;

/** Resolves when it is closed, also by an error. (`once` of node:events would reject then.) */
export const closeOf = (socket: { once(event: 'close', listener: () => void): unknown }): Promise<void> =>
  new Promise((resolve) => socket.once('close', resolve));

/** For people: what was sent, cut to a length that fits a report. */
export const shown = (input: unknown): string =>
  (typeof input === 'string' ? input : (JSON.stringify(input) ?? String(input))).slice(0, 2_000);
