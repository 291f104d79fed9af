import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundleReact, type ReactVersion } from './bundleReact.ts';
import type { Rendered } from './serverProgram.tsx';

/**
 * Renders everything of @parley/react in a process of its own, which has no globals of a browser.
 * @returns what it rendered and did, and what it logged
 * @throws Error if the process does not end by itself, because something is still open
 */
export async function renderOnServer(version: ReactVersion): Promise<Rendered & { logged: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-react-'));
  try {
    const program = join(folder, 'program.cjs');
    writeFileSync(program, await bundleReact('serverProgram.tsx', version, 'node'));
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [program], {
      timeout: 60_000,
      // Not those of the browser.
      env: { ...process.env, TZ: 'Pacific/Auckland', LC_ALL: 'de_DE.UTF-8' },
      maxBuffer: 32 * 1024 * 1024,
    });
    return { ...(JSON.parse(stdout) as Rendered), logged: stderr };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
