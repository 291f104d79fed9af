import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { findCommand, findTool } from './findTool.mjs';

test('finds a file that can be executed, and no folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-tools-'));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  const [first, second] = [join(folder, 'first'), join(folder, 'second')];
  mkdirSync(join(first, 'turnserver'), { recursive: true });
  mkdirSync(second);
  writeFileSync(join(second, 'turnserver'), '', { mode: 0o755 });
  writeFileSync(join(second, 'text'), '', { mode: 0o644 });
  vi.stubEnv('PATH', [first, second].join(delimiter));
  expect(findCommand('turnserver')).toBe(join(second, 'turnserver'));
  expect(findCommand('text')).toBeUndefined();
  vi.stubEnv('TURNSERVER_BIN', join(first, 'turnserver'));
  expect(findTool('coturn')).toBeUndefined();
});
