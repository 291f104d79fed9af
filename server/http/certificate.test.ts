import { X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, get } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { certificateFor } from './certificate.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-certificate-'));
});
afterEach(() => rm(folder, { recursive: true }));

it('creates a certificate that a client can trust', async () => {
  const { key, cert } = await certificateFor(folder, '192.0.2.7');
  const server = createServer({ key, cert }, (_request, response) => response.end('secure')).listen(
    0,
    '127.0.0.1',
  );
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const status = await new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, ca: cert, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on('error', reject);
  });
  server.close();
  expect(status).toBe(200);
  expect((await stat(join(folder, 'certificate.pem'))).mode & 0o777).toBe(0o600);
});

it('keeps the certificate while the address stays the same, and replaces it when the address changes', async () => {
  const first = await certificateFor(folder, '192.0.2.7');
  const fingerprint = ({ cert }: { cert: string }) => new X509Certificate(cert).fingerprint256;
  expect(fingerprint(await certificateFor(folder, '192.0.2.7'))).toBe(fingerprint(first));
  expect(fingerprint(await certificateFor(folder, null))).toBe(fingerprint(first));
  expect(fingerprint(await certificateFor(folder, '192.0.2.8'))).not.toBe(fingerprint(first));
});

it('replaces a damaged certificate', async () => {
  const path = join(folder, 'certificate.pem');
  await certificateFor(folder, null);
  const whole = await readFile(path, 'utf8');
  for (const damaged of [
    '',
    'nonsense',
    whole.slice(0, -80),
    whole.slice(whole.indexOf('-----BEGIN CERT')),
  ]) {
    await writeFile(path, damaged);
    const { key, cert } = await certificateFor(folder, null);
    expect(new X509Certificate(cert).subject).toContain('Parley');
    expect(key).toContain('PRIVATE KEY');
  }
});
