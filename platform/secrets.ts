import { hkdfSync, randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Derives one key per purpose from one secret. */
export interface Secrets {
  /** @param purpose names the use of the key. The same purpose results in the same 32 bytes on every node. */
  derive(purpose: string): Buffer;
}

/** Uses SECRET_KEY, or a secret that is generated once and kept in DATA_DIR, so that sessions survive a restart. */
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
    throw new Error(`${path} is damaged: restore it, or delete it, which ends all sessions.`);
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

/** Writes the whole file under another name first, so that no crash leaves half of it and no other server reads half of it. */
async function makeSecret(path: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    const file = await open(draft, 'wx', 0o600);
    await file.writeFile(randomBytes(32).toString('hex'));
    await file.sync();
    await file.close();
    // Unlike a rename, a link never replaces a file that another server has created in the meantime.
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
  return (await readFile(path, 'utf8')).trim();
}
