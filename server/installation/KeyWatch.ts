import { eq, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { Database } from '../../platform/database/database.ts';
import { every } from '../../platform/every.ts';
import { nodes } from '../../platform/node/tables.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { installation } from './tables.ts';

interface KeyWatchOptions {
  db: Database;
  secrets: Secrets;
  nodeId: () => string;
  log: Logger;
}

/** How often a node reads which key is in use. `npm run rotate:key` waits until all nodes have told that they use the new one. */
export const keyWatchMs = 2_000;

/** Follows a rotation of SECRET_KEY: uses the key that the database names, and tells which keys this node accepts. */
export class KeyWatch {
  readonly #options: KeyWatchOptions;
  readonly #stop: () => void;
  #warned = false;

  static async start(options: KeyWatchOptions): Promise<KeyWatch> {
    const watch = new KeyWatch(options);
    await watch.#check();
    return watch;
  }

  private constructor(options: KeyWatchOptions) {
    this.#options = options;
    const { log } = options;
    this.#stop = every(keyWatchMs, () => {
      this.#check().catch((err: unknown) => log.debug({ err }, 'the key in use could not be read'));
    });
  }

  close(): void {
    this.#stop();
  }

  async #check(): Promise<void> {
    const { db, secrets, nodeId, log } = this.#options;
    const told = sql<string[] | null>`(SELECT ${nodes.keys} FROM ${nodes} WHERE ${nodes.id} = ${nodeId()})`;
    const [row] = await db.select({ inUse: installation.keyFingerprint, told }).from(installation);
    const [before] = secrets.fingerprints;
    if (row && row.inUse !== before) {
      const isOurs = secrets.use(row.inUse);
      if (isOurs) log.info('the new SECRET_KEY is in use');
      else if (!this.#warned)
        log.error('the database uses another SECRET_KEY: restart this node with that key');
      this.#warned = !isOurs;
    }
    const keys = secrets.fingerprints;
    if (row?.told?.join() !== keys.join()) await db.update(nodes).set({ keys }).where(eq(nodes.id, nodeId()));
  }
}
