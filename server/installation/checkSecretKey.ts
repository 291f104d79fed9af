import { and, eq, isNull } from 'drizzle-orm';
import { ConfigError } from '../../platform/ConfigError.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import { seal, unseal } from '../../platform/seal.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { installation } from './tables.ts';

/** The place of the sealed secret, and the purpose of its key. */
const lasting = 'lasting secret';

/**
 * Makes the secrets use the key of this database. The first start stores the fingerprint of its SECRET_KEY, and the secret of the lasting
 * keys.
 * @throws {ConfigError} if the database belongs to another key, in which case API keys would not work and sealed data (eSIMs, webhook
 *   secrets, stream keys) could not be read. It names the ways to continue
 */
export async function checkSecretKey(db: Database, secrets: Secrets): Promise<void> {
  const [keyFingerprint = ''] = secrets.fingerprints;
  await db
    .insert(installation)
    .values({ id: 1, keyFingerprint, lastingSecret: sealLasting(secrets.secret, secrets) })
    .onConflictDoNothing();
  const [row] = await db.select().from(installation);
  if (!row || !secrets.use(row.keyFingerprint))
    throw new ConfigError([
      'SECRET_KEY: this database was written with another key (SECRET_KEY, or secret.key in DATA_DIR). Restore that key. ' +
        'To replace it, set it as SECRET_KEY_PREVIOUS and run "npm run rotate:key". ' +
        'If that key is lost, run "DELETE FROM installation" in the database and start again: all API keys, eSIM profiles, ' +
        'webhook secrets and stream keys will be lost',
    ]);
  if (row.formerKeyFingerprint !== null && !secrets.fingerprints.includes(row.formerKeyFingerprint))
    throw new ConfigError([
      'SECRET_KEY_PREVIOUS: a rotation of SECRET_KEY is under way. Set the key before it, until "npm run rotate:key" is complete',
    ]);
  if (row.lastingSecret) {
    secrets.setLasting(unseal(row.lastingSecret, secrets.keys(lasting), lasting));
    return;
  }
  // Written by a release without rotation. Until now, all keys were derived from SECRET_KEY itself.
  await db
    .update(installation)
    .set({ lastingSecret: sealLasting(secrets.secret, secrets) })
    .where(and(eq(installation.keyFingerprint, row.keyFingerprint), isNull(installation.lastingSecret)));
  secrets.setLasting(secrets.secret);
}

const sealLasting = (secret: string, secrets: Secrets) => seal(secret, secrets.keys(lasting), lasting);

/** Makes another key the one in use, in the database and in `secrets`. The key before it is still accepted. */
export async function useNewKey(tx: Executor, secrets: Secrets, to: string): Promise<void> {
  const [row] = await tx.select().from(installation).for('update');
  if (!row || row.keyFingerprint === to) return;
  const secret = row.lastingSecret
    ? unseal(row.lastingSecret, secrets.keys(lasting), lasting)
    : secrets.secret;
  secrets.use(to);
  await tx.update(installation).set({
    keyFingerprint: to,
    formerKeyFingerprint: row.keyFingerprint,
    lastingSecret: sealLasting(secret, secrets),
  });
}
