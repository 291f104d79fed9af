import { hkdfSync, randomBytes } from 'node:crypto';
import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Keys for one purpose each, all from one secret. */
export interface Secrets {
  /** @param purpose what the key is for; the same purpose gives the same key, on every node */
  derive(purpose: string): Buffer;
}

/** SECRET_KEY, or one that is generated once and kept in DATA_DIR, so that a restart signs nobody out. */
export async function loadSecrets({
  SECRET_KEY,
  DATA_DIR,
}: {
  SECRET_KEY?: string | undefined;
  DATA_DIR: string;
}): Promise<Secrets> {
  const secret = SECRET_KEY ?? (await keptSecret(join(DATA_DIR, 'secret.key')));
  return { derive: (purpose) => Buffer.from(hkdfSync('sha256', secret, '', `parley/${purpose}`, 32)) };
}

async function keptSecret(path: string): Promise<string> {
  await mkdir(join(path, '..'), { recursive: true });
  try {
    const file = await open(path, 'wx', 0o600);
    await file.writeFile(randomBytes(32).toString('hex'));
    await file.sync();
    await file.close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const secret = (await readFile(path, 'utf8')).trim();
  if (secret.length < 32)
    throw new Error(`${path} is damaged: restore it, or delete it, which signs everybody out.`);
  return secret;
}
