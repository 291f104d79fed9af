import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { toErrorBody } from '../../platform/errors.ts';
import type { FileRow } from './tables.ts';
import { Uploads } from './Uploads.ts';

/* A real database cannot be made to lose its connection just when a part is stored. */

it('answers a client that is still there with an outage when a part cannot be stored', async () => {
  const outages = [Object.assign(new Error('terminating connection'), { code: '57P01' })];
  const store = {
    addPart: () => {
      const [outage] = outages.splice(0);
      return outage ? Promise.reject(outage) : Promise.resolve(true);
    },
  };
  const storage = { put: () => Promise.resolve() };
  const uploads = new Uploads({ store, storage, keepMs: 1_000 } as never);
  const row = { id: 'med_1', size: null, received: 0, parts: [], objectKey: null } as unknown as FileRow;
  const body = Readable.from([Buffer.alloc(1024 * 1024), Buffer.alloc(10)]);
  const error: unknown = await uploads.receive(row, 0, body).catch((reason: unknown) => reason);
  expect(toErrorBody(error, 'req_1')).toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfter: 1 });
});
