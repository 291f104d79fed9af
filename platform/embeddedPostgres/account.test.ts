import { existsSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { CleanUp, isRoot } from '../../test/harness/nodes/embeddedPostgres/support.ts';
import { serverAccount } from './account.ts';

const cleanUp = new CleanUp();
afterEach(async () => {
  vi.unstubAllEnvs();
  await cleanUp.run();
});

test.runIf(isRoot && existsSync('/usr/sbin/useradd'))(
  'finds the command that creates a user, although PATH does not contain its folder',
  async () => {
    const folder = await cleanUp.temporaryFolder();
    // From now on the user exists, so that the commands below change nothing.
    await serverAccount(join(folder, 'postgres'));
    const id = join(folder, 'id');
    await writeFile(id, '#!/bin/sh\nexit 1\n');
    await chmod(id, 0o755);
    vi.stubEnv('LC_ALL', 'C');
    vi.stubEnv('PATH', folder);
    const error = await serverAccount(join(folder, 'postgres')).catch(String);
    expect(error).toContain("'postgres' already exists");
  },
);
