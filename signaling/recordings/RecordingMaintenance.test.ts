import { pino } from 'pino';
import { expect, it } from 'vitest';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { RecordingMaintenance } from './RecordingMaintenance.ts';
import { recordingJob } from './RecordingStore.ts';

type MaintenanceDeps = ConstructorParameters<typeof RecordingMaintenance>[0];

const coded = (code: string) => Object.assign(new Error(code), { code });

/** Maintenance of one recording that is to be joined. @returns the handler of its job, and what it asks of the store */
function maintain(recorder: object) {
  const asked: string[] = [];
  const handlers = new Map<string, (job: object) => Promise<void>>();
  const row = { id: 'rec', status: 'processing', attempts: 0 };
  const deps: unknown = {
    recorder,
    jobs: { on: (kind: string, handler: () => Promise<void>) => handlers.set(kind, handler) },
    running: { has: () => false },
    log: pino({ level: 'silent' }),
    store: {
      take: () => (asked.push('take'), Promise.resolve(row)),
      leases: { whileHeld: (_row: object, work: () => Promise<unknown>) => work() },
      countFailure: () => Promise.resolve(void asked.push('count')),
      release: (_row: object, seconds: number) => Promise.resolve(void asked.push(`release ${seconds}`)),
    },
  };
  new RecordingMaintenance(deps as MaintenanceDeps);
  return { join: () => handlers.get(recordingJob)?.({ subject: 'rec' }), asked };
}

/** Joins a recording, which fails with this error. @returns what maintenance asks of the store */
async function afterFailure(error: Error): Promise<string[]> {
  const recorder = { recover: () => Promise.resolve([]), finish: () => Promise.reject(error) };
  const { join, asked } = maintain(recorder);
  await join();
  return asked;
}

it.each([
  ['the disk or the storage has no room', coded('ENOSPC')],
  ['the connection to the storage breaks', coded('ECONNRESET')],
  ['the storage is away', new ParleyError('SERVICE_UNAVAILABLE', 'away')],
])('does not count a failed attempt to join if %s', async (_what, error) => {
  expect(await afterFailure(error)).toEqual(['take', 'release 60']);
});

it('counts any other failed attempt to join', async () => {
  expect(await afterFailure(new Error('the part is broken'))).toEqual(['take', 'count', 'release 5']);
});

it('joins nothing until the parts of the previous process are in storage', async () => {
  let isAway = true;
  const away = new Error('the storage is away');
  const recorder = {
    recover: () => (isAway ? Promise.reject(away) : Promise.resolve([])),
    finish: () => Promise.reject(new Error('joined')),
  };
  const { join, asked } = maintain(recorder);
  await expect(join()).rejects.toBe(away);
  expect(asked).toEqual([]);
  isAway = false;
  await join();
  expect(asked).toEqual(['take', 'count', 'release 5']);
});
