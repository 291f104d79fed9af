import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServerProcess } from '../harness/ServerProcess.ts';
import { until } from '../harness/until.ts';
import { queryDatabase, roomySettings, wrongBalances } from './accountSupport.ts';
import { grant, PhoneUser } from './phoneSupport.ts';
import { ScriptedCarrier } from './ScriptedCarrier.ts';
import { startSpendingServer } from './spendingServer.ts';

const to = '+12025550123';

/** A due row that somebody had claimed is free again 30 seconds after that one died. */
const waitMs = 45_000;

describe('kill -9', () => {
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'));
  });
  afterAll(() => rm(dataDir, { recursive: true, force: true }));

  it('in the middle of a submission: the carrier is asked, and nothing is sent twice', async () => {
    const file = join(dataDir, 'given');
    const script = fileURLToPath(new URL('textingProgram.ts', import.meta.url));
    const child = spawn(process.execPath, ['--import', 'tsx', script, dataDir, file], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const line = async () => String((await lines.next()).value);
    let url = '';
    let user: PhoneUser;
    const texts = ['hang', 'hang, accepted', 'hang, not_sent'];
    const ids: string[] = [];
    try {
      url = await line();
      user = await PhoneUser.create(() => url);
      for (const message of texts) {
        ids.push((await user.post<{ id: string }>('/sms/send', { to, message })).id);
        expect(await line()).toBe(`given ${message}`);
      }
      for (const id of ids) expect((await user.message(id)).status).toBe('sending');
      child.kill('SIGKILL');
    } finally {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    }

    const carrier = new ScriptedCarrier(file);
    const next = await startSpendingServer({ dataDir, carrier, settings: { SMS_SUBMIT_SECONDS: '1' } });
    try {
      url = next.url;
      const [unknown = '', accepted = '', notSent = ''] = ids;
      expect(await user.reached(unknown, 'failed')).toMatchObject({ errorCode: 'unknown_outcome' });
      await user.reached(accepted, 'sent');
      const given = (id: string) => readFileSync(file, 'utf8').split(id).length - 1;
      // Certainly not sent the first time: sent now.
      await until(() => given(notSent) > 1, 'it is sent');
      expect([given(unknown), given(accepted)]).toEqual([1, 1]);
      expect(await user.credits()).toBe(500 - 6);
    } finally {
      await next.close();
    }
  });

  it('of a busy server: every text that was taken arrives, none of them twice', async () => {
    const server = await ServerProcess.start({ ...roomySettings, SMS_SUBMIT_SECONDS: '1' });
    try {
      const user = await PhoneUser.create(() => server.url);
      await grant(server, user, 5_000);
      const other = (await user.buy()).phoneNumber;
      const taken: string[] = [];
      const send = async (index: number) => {
        const body = { to: other, message: `text ${index}` };
        const reply = await user.ask('POST', '/sms/send', body).catch(() => null);
        if (reply?.status === 202) taken.push(body.message);
      };
      const sending = Promise.all(Array.from({ length: 100 }, (_, index) => send(index)));
      await until(() => taken.length >= 25, 'some are taken');
      await server.kill();
      await sending;
      expect(taken.length).toBeLessThan(100);
      await server.start();
      const counts = () =>
        queryDatabase(
          server,
          `SELECT text, count(*) FILTER (WHERE direction = 'inbound')::int AS arrived,
             bool_and(direction = 'inbound' OR status = 'delivered') AS done FROM messages GROUP BY text`,
        );
      await until(async () => (await counts()).every(({ done }) => done), 'all are delivered', waitMs);
      const rows = await counts();
      expect(rows.filter(({ arrived }) => arrived !== 1)).toEqual([]);
      expect(rows.map(({ text }) => text)).toEqual(expect.arrayContaining(taken));
      // What was paid is there, and what is there was paid.
      const paid = `SELECT (SELECT sum(credits) FROM messages)::int AS texts,
        (SELECT sum(amount) FROM reservations WHERE service = 'sms' AND status = 'captured')::int AS captured`;
      const [sums] = await queryDatabase(server, paid);
      expect(sums?.captured).toBe(sums?.texts);
      expect(await wrongBalances(server)).toEqual([]);
    } finally {
      await server.dispose();
    }
  });
});
