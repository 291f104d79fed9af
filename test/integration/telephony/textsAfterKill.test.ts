import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyScopes } from '../../../sdk/protocol/http.ts';
import { startProgram } from '../../harness/run/startProgram.ts';
import { twoNodes } from '../../harness/nodes/Cluster.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { until } from '../../harness/until.ts';
import {
  api,
  connectDatabase,
  newCustomer,
  newKey,
  queryDatabase,
  roomySettings,
  wrongBalances,
} from '../money/accountSupport.ts';
import { grant, PhoneUser } from './telephonySupport.ts';
import { ScriptedCarrier } from './ScriptedCarrier.ts';
import { holdWrites, type HeldWrite } from '../money/holdWrites.ts';
import { startSpendingServer } from '../money/spendingServer.ts';
import { bearer, type Reply } from '../support.ts';

const to = '+12025550123';

/** The maximum wait until all texts are delivered. A dead process's jobs can be claimed again only after 30 seconds. */
const waitMs = 45_000;

/** The write that stores the answer of a request. */
const answers = { write: 'UPDATE OF answer ON idempotency_keys' };

type Asked = [path: string, body: object, status: number];

interface Newcomer {
  dashboard: Record<string, string>;
  /** Id of its API key. */
  id: string;
  key: Record<string, string>;
}

describe('kill -9', () => {
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'));
  });
  afterAll(() => rm(dataDir, { recursive: true, force: true }));

  it('during submissions: asks the carrier and sends nothing twice', async () => {
    const file = join(dataDir, 'given');
    const child = await startProgram(new URL('textProgram.ts', import.meta.url), [dataDir, file]);
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
      // The carrier reports that this text was not sent, so the text is sent again.
      await until(() => given(notSent) > 1, 'the text is sent');
      expect([given(unknown), given(accepted)]).toEqual([1, 1]);
      expect(await user.credits()).toBe(500 - 6);
    } finally {
      await next.close();
    }
  });

  it('between a purchase and its response: a repeated request gets the response without a second purchase', async () => {
    const lease = { REQUEST_LEASE_SECONDS: '600' };
    const server = await ServerProcess.start({ ...roomySettings, ...lease });
    try {
      const user = await PhoneUser.create(() => server.url);
      await grant(server, user, 10_000);
      const bought: Asked[] = [
        ['/numbers/buy', { country: 'GB' }, 202],
        ['/esim/checkout', { packageId: 'eu-1gb' }, 201],
      ];
      const ask = ([path, body]: Asked) => user.ask('POST', path, body, { 'Idempotency-Key': 'the one' });
      const client = await connectDatabase(server);
      const countBlocked = await holdWrites(client, answers);
      const lost = Promise.all(bought.map((each) => ask(each).catch(() => 'lost')));
      await until(async () => (await countBlocked()) === bought.length, 'all requests are blocked');
      await server.kill();
      await client.end().catch(() => undefined);
      expect(await lost).toEqual(bought.map(() => 'lost'));

      await server.start();
      const answered = (each: Asked) =>
        until(async () => {
          const reply = await ask(each);
          return reply.body.error === 'idempotency_in_progress' ? null : reply;
        }, 'the leases of the killed process have ended');
      const replies = await Promise.all(bought.map(answered));
      expect(replies.map(({ status }) => status)).toEqual(bought.map(([, , status]) => status));
      for (const { headers } of replies) expect(headers['idempotent-replayed']).toBe('true');
      const [number, esim] = replies.map(({ body }) => body);
      expect(number).toMatchObject({ status: 'completed', number: { phoneNumber: number?.phoneNumber } });
      expect(esim).toMatchObject({ status: 'completed', esims: [{}] });
      // The responses are now stored. Each purchase was paid once, and its response contains the resulting balance.
      const again = await Promise.all(bought.map(ask));
      expect(again.map(({ text }) => text)).toEqual(replies.map(({ text }) => text));
      const history = await user.get<{ data: { amount: number; balanceAfter: number }[] }>(
        '/account/history',
      );
      const debits = history.data
        .slice(0, bought.length)
        .map(({ amount, balanceAfter }) => [amount, balanceAfter]);
      const paid = replies.map(({ body }) => [body.credits, body.balance]);
      expect(paid.sort()).toEqual(debits.sort());
      const counts = `SELECT (SELECT count(*) FROM phone_numbers)::int AS numbers,
        (SELECT count(*) FROM esim_orders)::int AS esims`;
      expect(await queryDatabase(server, counts)).toEqual([{ numbers: 1, esims: 1 }]);
      expect(await wrongBalances(server)).toEqual([]);
    } finally {
      await server.dispose();
    }
  });

  // Starts the server fourteen times.
  it(
    'at any write of a request whose work is in the database: a repeated request is carried out once',
    { timeout: 300_000 },
    async () => {
      const server = await ServerProcess.start({ ...roomySettings, REQUEST_LEASE_SECONDS: '600' });
      try {
        const newUser = async () => {
          const user = await PhoneUser.create(() => server.url);
          await grant(server, user, 10_000);
          return user;
        };
        // Each request has its own account and recipient, because those of one account or recipient wait for each other.
        const [pooled, threaded, owner, renewer, verifier] = await Promise.all([
          newUser(),
          newUser(),
          newUser(),
          newUser(),
          newUser(),
        ]);
        const [own, renewed] = [await owner.buy(), await renewer.buy()];
        const message = 'one';
        const requests = {
          pooled: [pooled, '/sms/send', { to: '+12025550101', message }, 202],
          threaded: [threaded, '/messaging/send', { to: '+12025550102', message }, 202],
          own: [owner, '/numbers/mine/send', { to: '+12025550103', from: own.phoneNumber, message }, 202],
          renewal: [renewer, '/numbers/mine/renew', { numberId: renewed.id }, 200],
          code: [verifier, '/verifications/start', {}, 201],
        } as const;
        const all = Object.values(requests);
        const texts = [requests.pooled, requests.threaded, requests.own, requests.code];
        const listed = [requests.pooled, requests.threaded, requests.own];
        type Request = (typeof all)[number];
        const points: [HeldWrite, readonly Request[]][] = [
          [{ write: 'INSERT ON idempotency_keys' }, all],
          [{ write: 'INSERT ON pool_assignments' }, [requests.pooled, requests.threaded]],
          [{ write: 'UPDATE ON accounts' }, all],
          [{ write: 'INSERT ON reservations' }, all],
          [{ write: 'INSERT ON ledger' }, all],
          [{ write: 'INSERT ON messages' }, texts],
          [{ write: 'INSERT ON threads' }, listed],
          [{ write: 'INSERT ON due', when: `NEW.kind = 'text.submission'` }, texts],
          [{ write: 'INSERT ON verifications' }, [requests.code]],
          [{ write: 'UPDATE ON phone_numbers' }, [requests.renewal]],
          [answers, all],
          [{ ...answers, atCommit: true }, all],
        ];
        const stateOf = async ([user]: Request) => {
          const { data } = await user.get<{ data: { type: string; service: string }[] }>('/account/history');
          const [{ done } = {}] = await queryDatabase(
            server,
            `SELECT (SELECT count(*) FROM messages WHERE direction = 'outbound' AND (account_id = $1 OR payment_id IN
              (SELECT id FROM verifications WHERE account_id = $1)))::int
            + (SELECT count(*) FROM ledger WHERE account_id = $1 AND description LIKE 'Renews%')::int AS done`,
            [(await user.get<{ id: string }>('/account')).id],
          );
          return { done, movements: data.filter(({ type }) => type !== 'credit').map(({ type }) => type) };
        };
        for (const [round, [point, held]] of [...points, [null, all] as const].entries()) {
          const before = await Promise.all(all.map(stateOf));
          // A recipient gets only a few codes in ten minutes.
          const code = { to: `+120255501${String(round + 10)}` };
          const ask = ([user, path, body]: Request) =>
            user.ask('POST', path, path === '/verifications/start' ? code : body, {
              'Idempotency-Key': `key ${round}`,
            });
          const client = await connectDatabase(server);
          const countHeld = point && (await holdWrites(client, point));
          const first = Promise.all(all.map((each) => ask(each).catch(() => 'lost')));
          const where = JSON.stringify(point);
          // In the last round, the requests are committed.
          if (countHeld) await until(async () => (await countHeld()) === held.length, `all are at ${where}`);
          else
            await until(async () => {
              const { rows } = await client.query(
                'SELECT 1 FROM idempotency_keys WHERE key = $1 AND status < 300',
                [`key ${round}`],
              );
              return rows.length === held.length;
            }, 'all are committed');
          await server.kill();
          await client.end().catch(() => undefined);
          const lost = await first;
          if (point)
            for (const each of held) expect([where, lost[all.indexOf(each)]]).toEqual([where, 'lost']);
          await server.start();

          const replies = await Promise.all(all.map(ask));
          expect([where, replies.map(({ status }) => status)]).toEqual([
            where,
            all.map(([, , , status]) => status),
          ]);
          const again = await Promise.all(all.map(ask));
          expect(again.map(({ text }) => text)).toEqual(replies.map(({ text }) => text));
          for (const [index, reply] of lost.entries())
            if (typeof reply === 'object') expect(replies[index]?.text).toBe(reply.text);
          const after = await Promise.all(all.map(stateOf));
          const isDone = ({ done, movements }: (typeof before)[number]) => ({
            done: Number(done) + 1,
            movements: ['debit', ...movements],
          });
          expect([where, after]).toEqual([where, before.map(isDone)]);
          expect(await wrongBalances(server)).toEqual([]);
        }
      } finally {
        await server.dispose();
      }
    },
  );

  it('of one of two nodes: the other node runs free requests once', async () => {
    const lease = { REQUEST_LEASE_SECONDS: '600', SIGNUP_CREDITS: '10000' };
    const two = await twoNodes({ ...roomySettings, ...lease });
    const client = new pg.Client({ connectionString: two.postgres.url });
    try {
      const [dying, living] = two.nodes.map(({ server }) => server) as [ServerProcess, ServerProcess];
      const newUser = async (): Promise<Newcomer> => {
        const customer = await newCustomer(dying.url);
        const { id, secret } = await newKey(dying.url, customer, { scopes: keyScopes });
        return { dashboard: customer.dashboard, id, key: bearer(secret) };
      };
      // Each request has its own account, because the requests of one account wait for each other.
      const [maker, rotator, tester, leaver, sender] = await Promise.all([
        newUser(),
        newUser(),
        newUser(),
        newUser(),
        newUser(),
      ]);
      const buy = async ({ key }: Newcomer) =>
        (await api(dying.url, 'POST', '/numbers/buy', key, { country: 'US' })).body.number as { id: string };
      const [{ id: testedId }, { id: releasedId }] = [await buy(tester), await buy(leaver)];
      const hook = { numberId: testedId, url: 'https://hooks.example' };
      expect((await api(dying.url, 'PUT', '/numbers/mine/webhook', tester.key, hook)).status).toBe(200);
      const asked: [path: string, headers: Record<string, string>, body?: object][] = [
        ['/api-keys', maker.dashboard, { name: 'the one' }],
        [`/api-keys/${rotator.id}/rotate`, rotator.dashboard],
        ['/numbers/mine/webhook/test', tester.key, { numberId: testedId }],
        ['/numbers/mine/release', leaver.key, { numberId: releasedId }],
        // Unlike the others, this request is paid.
        ['/sms/send', sender.key, { to, message: 'one' }],
      ];
      const ask = (url: string, [path, headers, body]: (typeof asked)[number]): Promise<Reply> =>
        api(url, 'POST', path, { ...headers, 'Idempotency-Key': 'the one' }, body);
      await client.connect();
      client.on('error', () => {});
      const countBlocked = await holdWrites(client, answers);
      const lost = Promise.all(asked.map((each) => ask(dying.url, each).catch(() => 'lost')));
      await until(async () => (await countBlocked()) === asked.length, 'all requests are blocked');
      await dying.kill();
      expect(await lost).toEqual(asked.map(() => 'lost'));
      await client.end();

      const replies = await Promise.all(
        asked.map((each) =>
          until(async () => {
            const reply = await ask(living.url, each);
            return reply.body.error === 'idempotency_in_progress' ? null : reply;
          }, 'the node is declared dead'),
        ),
      );
      expect(replies.map(({ status }) => status)).toEqual([201, 201, 202, 200, 202]);
      const again = await Promise.all(asked.map((each) => ask(living.url, each)));
      expect(again.map(({ text }) => text)).toEqual(replies.map(({ text }) => text));
      for (const [{ dashboard }, expected] of [
        [maker, ['the one', 'a key']],
        [rotator, ['a key', 'a key']],
      ] as const) {
        const { body } = await api(living.url, 'GET', '/api-keys', dashboard);
        expect((body.data as { name: string }[]).map(({ name }) => name)).toEqual(expected);
      }
      const { body } = await api(living.url, 'GET', '/numbers/mine/webhook/deliveries', tester.key);
      expect(body.data).toMatchObject([{ id: replies[2]?.body.id }]);
      expect(replies[3]?.body).toMatchObject({ id: releasedId, status: 'released' });
      const sent = await api(living.url, 'GET', `/sms/${replies[4]?.body.id as string}`, sender.key);
      expect(sent.body).toMatchObject({ to });
    } finally {
      await client.end().catch(() => undefined);
      await two.close();
    }
  });

  it('of a busy server: delivers every accepted text exactly once', async () => {
    const server = await ServerProcess.start({ ...roomySettings, SMS_SUBMIT_SECONDS: '1' });
    try {
      const user = await PhoneUser.create(() => server.url);
      await grant(server, user, 5_000);
      const other = (await user.buy()).phoneNumber;
      const accepted: string[] = [];
      const send = async (index: number) => {
        const body = { to: other, message: `text ${index}` };
        const reply = await user.ask('POST', '/sms/send', body).catch(() => null);
        if (reply?.status === 202) accepted.push(body.message);
      };
      const sending = Promise.all(Array.from({ length: 100 }, (_, index) => send(index)));
      await until(() => accepted.length >= 25, 'some texts are accepted');
      await server.kill();
      await sending;
      expect(accepted.length).toBeLessThan(100);
      await server.start();
      const counts = () =>
        queryDatabase(
          server,
          `SELECT text, count(*) FILTER (WHERE direction = 'inbound')::int AS arrived,
             bool_and(direction = 'inbound' OR status = 'delivered') AS done FROM messages GROUP BY text`,
        );
      await until(async () => (await counts()).every(({ done }) => done), 'all texts are delivered', waitMs);
      const rows = await counts();
      expect(rows.filter(({ arrived }) => arrived !== 1)).toEqual([]);
      expect(rows.map(({ text }) => text)).toEqual(expect.arrayContaining(accepted));
      // The captured credits match the prices of the texts.
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
