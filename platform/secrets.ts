import { hkdfSync, randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Keys } from './keys.ts';

/** The file in DATA_DIR with the key of a server without SECRET_KEY, and the one with the key before it. */
export const keyFile = 'secret.key';
export const previousKeyFile = 'secret.key.previous';

/** A secret, and the keys that are derived from it. */
class Root {
  readonly secret: string;
  readonly #derived = new Map<string, Buffer>();

  constructor(secret: string) {
    this.secret = secret;
  }

  derive(purpose: string): Buffer {
    const known =
      this.#derived.get(purpose) ?? Buffer.from(hkdfSync('sha256', this.secret, '', `parley/${purpose}`, 32));
    this.#derived.set(purpose, known);
    return known;
  }

  get fingerprint(): string {
    return this.derive('installation fingerprint').toString('base64url');
  }
}

/** The fingerprint of a SECRET_KEY. It does not reveal the key. */
export const fingerprintOf = (secret: string): string => new Root(secret).fingerprint;

/**
 * Derives keys for each purpose from SECRET_KEY. While it is rotated there are two: the database decides which one signs and seals
 * (`use()`), and both are accepted.
 */
export class Secrets {
  /** The first is in use. */
  #roots: [Root, ...Root[]];
  #lasting: Root;

  constructor(secret: string, previous?: string) {
    this.#roots =
      previous === undefined || previous === secret
        ? [new Root(secret)]
        : [new Root(secret), new Root(previous)];
    this.#lasting = this.#roots[0];
  }

  /** The key in use. @param purpose names the use of the key. The same purpose results in the same 32 bytes on every node */
  derive(purpose: string): Buffer {
    return this.#roots[0].derive(purpose);
  }

  /** The keys for what can be signed or sealed again. */
  keys(purpose: string): Keys {
    return () => this.#roots.map((root) => root.derive(purpose)) as [Buffer, ...Buffer[]];
  }

  /**
   * The key for what cannot be computed again, such as hashes of API keys. It is derived from a secret that is sealed in the database and
   * outlives rotations.
   */
  lasting(purpose: string): Buffer {
    return this.#lasting.derive(purpose);
  }

  /** The fingerprints of the keys, the one in use first. */
  get fingerprints(): string[] {
    return this.#roots.map(({ fingerprint }) => fingerprint);
  }

  /** The secret in use. */
  get secret(): string {
    return this.#roots[0].secret;
  }

  /** Uses the key with this fingerprint from now on. @returns false if there is no such key */
  use(fingerprint: string): boolean {
    const root = this.#roots.find((one) => one.fingerprint === fingerprint);
    if (root) this.#roots = [root, ...this.#roots.filter((one) => one !== root)];
    return root !== undefined;
  }

  /** Sets the secret from which lasting keys are derived. */
  setLasting(secret: string): void {
    this.#lasting = new Root(secret);
  }
}

interface SecretSettings {
  SECRET_KEY?: string | undefined;
  SECRET_KEY_PREVIOUS?: string | undefined;
  DATA_DIR: string;
}

/** Uses SECRET_KEY, or a secret that is generated once and kept in DATA_DIR, so that sessions survive a restart. */
export async function loadSecrets(settings: SecretSettings): Promise<Secrets> {
  const { SECRET_KEY, SECRET_KEY_PREVIOUS, DATA_DIR } = settings;
  if (SECRET_KEY !== undefined) return new Secrets(SECRET_KEY, SECRET_KEY_PREVIOUS);
  const path = join(DATA_DIR, keyFile);
  const secret = (await readKeyFile(path)) ?? (await makeKeyFile(path));
  return new Secrets(secret, (await readKeyFile(join(DATA_DIR, previousKeyFile))) ?? undefined);
}

/** @returns the key, or null if there is no such file */
export async function readKeyFile(path: string): Promise<string | null> {
  let secret: string;
  try {
    secret = (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return null;
  }
  if (!/^\S{32,}$/.test(secret))
    throw new Error(`${path} is damaged: restore it, or delete it, which ends all sessions.`);
  return secret;
}

/**
 * Creates a file with a new key, unless it exists. Writes the whole file under another name first, so that no crash leaves half of it and
 * no other server reads half of it.
 * @returns the key in the file
 */
export async function makeKeyFile(path: string): Promise<string> {
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
