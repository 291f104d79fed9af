import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Service } from './Service.ts';

let folder: string;
let service: Service;
const events: string[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-service-'));
  events.length = 0;
});
afterEach(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

const serviceOf = (command: string) =>
  new Service({
    name: 'program',
    command,
    args: ['60'],
    isReady: () => Promise.resolve(service.pid > 0),
    onLine: () => {},
    onDied: (_service, reason) => events.push(reason),
    onRestarted: () => events.push('restarted'),
  });

test('is restarted when spawning it fails with an exception', async () => {
  const [programs, aside] = [join(folder, 'programs'), join(folder, 'aside')];
  mkdirSync(programs);
  symlinkSync('/bin/sleep', join(programs, 'sleep'));
  service = serviceOf(join(programs, 'sleep'));
  await service.start();
  const { pid } = service;
  // A path through a file is one of the failures that Node throws, as it does with too little memory.
  renameSync(programs, aside);
  writeFileSync(programs, '');
  expect(service.signal('SIGKILL')).toBe(true);
  await vi.waitUntil(() => events.length === 2, 10_000);
  expect(events).toEqual(['SIGKILL', expect.stringContaining('ENOTDIR')]);
  expect([service.pid, service.signal('SIGTERM')]).toEqual([0, false]);
  rmSync(programs);
  renameSync(aside, programs);
  await vi.waitUntil(() => events.at(-1) === 'restarted', 10_000);
  expect([0, pid]).not.toContain(service.pid);
});

test.each([
  ['with an exception', 'ENOTDIR'],
  ['with an event', 'ENOENT'],
])('does not start when spawning it fails %s, and signals nothing', async (_how, code) => {
  writeFileSync(join(folder, 'file'), '');
  service = serviceOf(join(folder, code === 'ENOTDIR' ? 'file' : '.', 'program'));
  await expect(service.start()).rejects.toThrow(code);
  expect([service.pid, service.signal('SIGTERM')]).toEqual([0, false]);
});
