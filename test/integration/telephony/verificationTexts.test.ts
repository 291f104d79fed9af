import { afterAll, beforeAll, expect, it } from 'vitest';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { until } from '../../harness/until.ts';
import { queryDatabase, roomySettings, wrongBalances } from '../money/accountSupport.ts';
import { grant, PhoneUser } from './telephonySupport.ts';

/* Verification codes on a real server, sent as texts by the loopback carrier. */

let server: ServerProcess;
let shop: PhoneUser;
let bob: PhoneUser;
let his: string;

beforeAll(async () => {
  server = await ServerProcess.start(roomySettings);
  [shop, bob] = [await PhoneUser.create(() => server.url), await PhoneUser.create(() => server.url)];
  for (const user of [shop, bob]) await grant(server, user, 1_000);
  his = (await bob.buy({ country: 'GB', type: 'mobile' })).phoneNumber;
});
afterAll(() => server?.dispose());

it('sends a code as a text from the pool that appears in no thread', async () => {
  const before = await shop.credits();
  const { id } = await shop.post<{ id: string }>('/verifications/start', { to: his });
  expect(await shop.credits()).toBe(before - 5);
  const received = await until(async () => (await bob.messages())[0], 'the code arrives');
  const code = /^\d{6}/.exec(received.message)?.[0];
  expect(await shop.post('/verifications/check', { id, code })).toMatchObject({ id, valid: true });
  // The text is wiped and belongs to no thread.
  const find = () =>
    queryDatabase(server, 'SELECT text, status, thread_id, account_id FROM messages WHERE payment_id = $1', [
      id,
    ]);
  const rows = await until(async () => {
    const found = await find();
    return found[0]?.status === 'delivered' ? found : undefined;
  }, 'the code is delivered');
  expect(rows).toEqual([{ text: '', status: 'delivered', thread_id: null, account_id: null }]);
  expect(await shop.get('/messaging/threads')).toMatchObject({ data: [] });
});

it('does not charge for an unsupported destination', async () => {
  const before = await shop.credits();
  expect(await shop.refusal('POST', '/verifications/start', { to: '+8613812345678' })).toEqual([
    422,
    'unsupported_destination',
  ]);
  expect(await shop.credits()).toBe(before);
  expect(await wrongBalances(server)).toEqual([]);
});
