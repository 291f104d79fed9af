import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { delimiter } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The user as which PostgreSQL runs when Parley runs as root, in the form of options for spawn(). */
export interface Account {
  uid: number;
  gid: number;
}

const USER = 'postgres';
/** The commands that create users are in folders that the PATH of root lacks after Debian's plain su. */
const adminFolders = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

/**
 * PostgreSQL refuses to run as root. If Parley runs as root, PostgreSQL runs as the user postgres, which is created if it is missing. An
 * existing cluster keeps its owner, because the uid of postgres may have changed in a rebuilt container image.
 * @returns undefined when Parley does not run as root: PostgreSQL then runs as the same user
 */
export async function serverAccount(clusterDir: string): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(clusterDir).catch(() => undefined);
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  return (await lookUp()) ?? (await createAccount());
}

async function lookUp(): Promise<Account | undefined> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', USER]), run('id', ['-g', USER])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return undefined;
  }
}

async function createAccount(): Promise<Account> {
  const problems: string[] = [];
  const env = {
    ...process.env,
    PATH: [process.env['PATH'], ...adminFolders].filter(Boolean).join(delimiter),
  };
  const commands: [string, string[]][] = [
    ['useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', USER]],
    ['adduser', ['--system', '--group', '--no-create-home', USER]],
  ];
  for (const [command, args] of commands) {
    await run(command, args, { env }).catch((error: unknown) => problems.push(String(error)));
    // Looked up even after a failure: another Parley may have created the user at the same time.
    const account = await lookUp();
    if (account) return account;
  }
  throw new Error(
    `PostgreSQL does not run as root, and its user ${USER} could not be created. Create it (useradd --system ${USER}), ` +
      `run Parley as a user other than root, or set DATABASE_URL to your own PostgreSQL.\n${problems.join('\n')}`,
  );
}
