import { hkdfSync, randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

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
  const secret = (await readIfThere(path)) ?? (await makeSecret(path));
  if (!/^\S{32,}$/.test(secret))
    throw new Error(`${path} is damaged: restore it, or delete it, which signs everybody out.`);
  return secret;
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return null;
  }
}

/** Writes the file completely under another name first, so that neither a crash nor a second server leaves or reads half of it. */
async function makeSecret(path: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    const file = await open(draft, 'wx', 0o600);
    await file.writeFile(randomBytes(32).toString('hex'));
    await file.sync();
    await file.close();
    // Unlike a rename, a link never replaces what another server has made meanwhile.
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
  return (await readFile(path, 'utf8')).trim();
}
