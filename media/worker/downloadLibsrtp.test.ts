import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { downloadLibsrtp } from './downloadLibsrtp.mjs';

/* The mirror is a server of this test, so that the test needs no network. */

let folder: string;
let mirror: Server;
let archive: Buffer;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parley-libsrtp-'));
  mkdirSync(join(folder, 'source/libsrtp-9'), { recursive: true });
  writeFileSync(join(folder, 'source/libsrtp-9/CMakeLists.txt'), 'project(libsrtp2)\n');
  archive = execFileSync('tar', ['-cz', '-C', join(folder, 'source'), 'libsrtp-9']);
  mirror = createServer(({ url }, response) => {
    response.statusCode = url === '/pool/libsrtp2_9.orig.tar.gz' ? 200 : 404;
    response.end(response.statusCode === 200 ? archive : '');
  });
  await new Promise<void>((resolve) => mirror.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  mirror.close();
  rmSync(folder, { recursive: true });
});

function download(file: string, sha256: string): Promise<string> {
  const target = mkdtempSync(join(folder, 'target-'));
  const { port } = mirror.address() as AddressInfo;
  const source = { file, sha256, folder: 'libsrtp-9' };
  return downloadLibsrtp(target, { mirror: `http://127.0.0.1:${port}/pool/`, source });
}

test('unpacks the source that the mirror has', async () => {
  const sha256 = createHash('sha256').update(archive).digest('hex');
  const source = await download('libsrtp2_9.orig.tar.gz', sha256);
  expect(readFileSync(join(source, 'CMakeLists.txt'), 'utf8')).toBe('project(libsrtp2)\n');
});

test('refuses a source with another checksum', async () => {
  await expect(download('libsrtp2_9.orig.tar.gz', '0'.repeat(64))).rejects.toThrow(/Hash Sum mismatch/);
});

test('says that the mirror does not have the source', async () => {
  const sha256 = createHash('sha256').update(archive).digest('hex');
  await expect(download('libsrtp2_8.orig.tar.gz', sha256)).rejects.toThrow(/404/);
});
