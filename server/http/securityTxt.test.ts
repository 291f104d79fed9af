import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { expect, it } from 'vitest';
import { readConfig } from '../config/config.ts';
import { securityTxt } from './securityTxt.ts';

async function fetchWith(contact: string | undefined): Promise<[status: number, text: string]> {
  const app = express().get('/.well-known/security.txt', securityTxt(contact));
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}/.well-known/security.txt`);
  const text = await response.text();
  server.close();
  return [response.status, text];
}

it('names the contact and expires within a year', async () => {
  const { SECURITY_CONTACT } = readConfig({ SECURITY_CONTACT: 'mailto:security@parley.example' });
  const [status, text] = await fetchWith(SECURITY_CONTACT);
  expect(status).toBe(200);
  expect(text).toContain('Contact: mailto:security@parley.example\n');
  const expires = Date.parse(/^Expires: (.*)$/m.exec(text)?.[1] ?? '');
  expect(expires).toBeGreaterThan(Date.now());
  expect(expires).toBeLessThan(Date.now() + 365 * 24 * 60 * 60_000);
});

it('answers 404 without a contact', async () => {
  expect((await fetchWith(undefined))[0]).toBe(404);
});
