import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { root } from '../docs/blocks.ts';

interface ComposeFile {
  services: Record<string, { read_only?: boolean; configs?: { source: string }[] }>;
  configs: Record<string, { file?: string; content?: string }>;
}

const { services, configs } = parse(readFileSync(join(root, 'compose.yaml'), 'utf8'), {
  merge: true,
}) as ComposeFile;

// Compose copies them into the container, and Docker answers: container rootfs is marked read-only.
test('gives no read-only container a config that is not a file', () => {
  const refused = Object.entries(services).flatMap(([name, { read_only, configs: used = [] }]) =>
    used.filter(({ source }) => read_only && !configs[source]?.file).map(({ source }) => [name, source]),
  );
  expect(services['node-1']?.read_only).toBe(true);
  expect(refused).toEqual([]);
});
