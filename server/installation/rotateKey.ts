import { setTimeout as delay } from 'node:timers/promises';
import { and, gt, isNull, sql } from 'drizzle-orm';
import { CommandError } from '../../platform/CommandError.ts';
import type { Database } from '../../platform/database/database.ts';
import { nodes } from '../../platform/node/tables.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { useNewKey } from './checkSecretKey.ts';
import { keyWatchMs } from './KeyWatch.ts';
import { sealAnew, type SealedAnew } from './sealAnew.ts';
import { installation } from './tables.ts';

interface RotateOptions {
  db: Database;
  secrets: Secrets;
  /** The fingerprint of the new key. */
  to: string;
  /** How to make a running server accept the new key, as a sentence. */
  howToAccept: string;
  onProgress: (text: string) => void;
}

/** A node that has sent no heartbeat for this long is not running. */
const silentFor = '10 seconds';
/** How long nodes may take until they use the new key. */
const switchLimitMs = 30_000;
/** Longer than any transaction that may still write a value sealed with the key before. */
const lastWritesMs = 5_000;

/**
 * Makes the new key the one in use, waits until all running nodes use it, and seals everything again. It may be interrupted and repeated.
 * @returns null if the new key was in use and nothing was left to do
 * @throws {CommandError} if a running node does not accept the new key
 */
export async function rotateKey({
  db,
  secrets,
  to,
  howToAccept,
  onProgress,
}: RotateOptions): Promise<SealedAnew | null> {
  const [row] = await db.select().from(installation);
  if (row?.keyFingerprint === to && row.formerKeyFingerprint === null) return null;
  const deaf = (await runningNodes(db)).filter(({ keys }) => !keys?.includes(to));
  if (deaf.length > 0)
    throw new CommandError(
      `These nodes do not accept the new key: ${deaf.map(({ id }) => id).join(', ')}. ${howToAccept} Then run this command again.`,
    );
  await db.transaction((tx) => useNewKey(tx, secrets, to));
  onProgress('The new key is in use.');
  if (await switched(db, to)) await delay(lastWritesMs);
  const total: SealedAnew = { changed: 0, unreadable: 0 };
  for (;;) {
    const { changed, unreadable } = await sealAnew(db, secrets, (count) =>
      onProgress(`${total.changed + count} values sealed again`),
    );
    total.changed += changed;
    total.unreadable = unreadable;
    // A value may have moved to a column that had been read already.
    if (changed === 0) break;
  }
  await db.update(installation).set({ formerKeyFingerprint: null });
  return total;
}

/**
 * Waits until every running node uses the new key.
 * @returns whether there are running nodes
 */
async function switched(db: Database, to: string): Promise<boolean> {
  const deadline = performance.now() + switchLimitMs;
  for (;;) {
    const running = await runningNodes(db);
    const late = running.filter(({ keys }) => keys?.[0] !== to);
    if (late.length === 0) return running.length > 0;
    if (performance.now() > deadline)
      throw new CommandError(
        `These nodes do not use the new key yet: ${late.map(({ id }) => id).join(', ')}. Run this command again once they answer.`,
      );
    await delay(keyWatchMs / 4);
  }
}

const runningNodes = (db: Database) =>
  db
    .select({ id: nodes.id, keys: nodes.keys })
    .from(nodes)
    .where(and(isNull(nodes.diedAt), gt(nodes.seenAt, sql`now() - ${silentFor}::interval`)));
