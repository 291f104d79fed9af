import type { Random } from './mutate.ts';
import type { Target } from './openTarget.ts';

/** The outcome of an input. */
export interface Outcome {
  /** The kind under which the table counts the outcome: a status, a code, or the state of the connection. */
  kind: string;
  /** A text with the input and the answer. Set only if the server must not answer in this way. */
  fault?: string;
}

/** An entry point of the server, ready to be fuzzed. */
export interface EntryPoint {
  /** Generates one input and sends it. Apart from ids that the server issued, the input depends only on `random`. */
  send(random: Random): Promise<Outcome>;
  /**
   * Sends a valid request.
   * @throws Error if it does not succeed
   */
  check(): Promise<void>;
  close(): Promise<void>;
}

export type OpenEntryPoint = (target: Target) => Promise<EntryPoint>;

/** Resolves when a socket is closed, even if an error closed it. (`once` of node:events would reject on an error.) */
export const closeOf = (socket: { once(event: 'close', listener: () => void): unknown }): Promise<void> =>
  new Promise((resolve) => socket.once('close', resolve));

/** Formats an input for a report, cut to 2,000 characters. */
export const shown = (input: unknown): string =>
  (typeof input === 'string' ? input : (JSON.stringify(input) ?? String(input))).slice(0, 2_000);
