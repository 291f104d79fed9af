import type { Random } from './mutate.ts';
import type { Target } from './openTarget.ts';

/** The outcome of an input. */
export interface Outcome {
  /** The kind by which the table counts it: a status, a code, or the state of the connection. */
  kind: string;
  /** Set if the server must not answer like this: the input and the answer, as text. */
  fault?: string;
}

/** An entry point of the server, ready to be fuzzed. */
export interface EntryPoint {
  /** Generates one input from `random` only (apart from ids that the server issued) and sends it. */
  send(random: Random): Promise<Outcome>;
  /** Sends a valid request. @throws if it does not succeed */
  check(): Promise<void>;
  close(): Promise<void>;
}

export type OpenEntryPoint = (target: Target) => Promise<EntryPoint>;

/** Resolves when a socket is closed, even by an error. (`once` of node:events would reject on an error.) */
export const closeOf = (socket: { once(event: 'close', listener: () => void): unknown }): Promise<void> =>
  new Promise((resolve) => socket.once('close', resolve));

/** Formats an input for a report, cut to 2,000 characters. */
export const shown = (input: unknown): string =>
  (typeof input === 'string' ? input : (JSON.stringify(input) ?? String(input))).slice(0, 2_000);
