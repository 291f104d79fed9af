import { ConfigError } from '../../platform/ConfigError.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { installation } from './tables.ts';

/**
 * Refuses a SECRET_KEY other than the one the database was first used with. With another key, API keys would not work, and sealed data
 * (eSIMs, webhook secrets, stream keys) could not be read. The first start stores a fingerprint of the key.
 * @throws {ConfigError} that names the ways to continue
 */
export async function checkSecretKey(db: Database, secrets: Secrets): Promise<void> {
  const keyFingerprint = secrets.derive('installation fingerprint').toString('base64url');
  await db.insert(installation).values({ id: 1, keyFingerprint }).onConflictDoNothing();
  const [row] = await db.select().from(installation);
  if (row?.keyFingerprint === keyFingerprint) return;
  throw new ConfigError([
    'SECRET_KEY: this database was written with another key (SECRET_KEY, or secret.key in DATA_DIR). Restore that key. ' +
      'If that key is lost, run "DELETE FROM installation" in the database and start again: all API keys, eSIM profiles, ' +
      'webhook secrets and stream keys will be lost',
  ]);
}
