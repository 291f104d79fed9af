import type { Secrets } from '../../platform/secrets.ts';
import type { Config } from '../config/config.ts';
import type { Machine } from './measureMachine.ts';
import type { ServerView } from './serverView.ts';
import type { TurnCredentials } from './TurnClient.ts';

/** What the checks of the doctor examine. */
export interface Examined {
  config: Config;
  secrets: Secrets;
  /** The address that users open. */
  publicUrl: string;
  /** The address of the server on this machine. */
  localUrl: string;
  /** The addresses that are announced to media clients; empty if that is HOST. */
  announced: string[];
  /** What the running server sees; null while it is stopped. */
  server: ServerView | null;
  machine: Machine;
  /** How to connect to the database; null for an embedded one that is stopped. */
  databaseUrl: string | null;
  /** The folder of the files; null if they are in a bucket, or if the nodes of the cluster share no storage. */
  filesDir: string | null;
  turn: { urls: string[]; credentials: TurnCredentials | null };
}
