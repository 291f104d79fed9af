import { afterAll, beforeAll, expect, it } from 'vitest';
import { Parley } from '../../../sdk/src/Parley.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { roomySettings } from '../money/accountSupport.ts';
import { newWallet } from '../support.ts';

let server: ServerProcess;
let dashboard: Parley;
const wallet = newWallet();

beforeAll(async () => {
  const plans = [{ id: 'team', name: 'Team', monthlyCredits: 2_000, price: '15.00', leakSearches: 10 }];
  server = await ServerProcess.start({ ...roomySettings, PLANS: JSON.stringify(plans) });
  dashboard = new Parley({ apiKey: '', baseUrl: server.url, audience: 'dashboard' });
  await dashboard.signIn(wallet);
});
afterAll(async () => {
  dashboard?.close();
  await server?.dispose();
});

it('reads the account from a backend with an API key', async () => {
  const { secret, prefix, scopes } = await dashboard.apiKeys.create({ name: 'backend' });
  const backend = new Parley({ baseUrl: server.url, auth: { apiKey: secret } });
  expect(await backend.account.get()).toMatchObject({
    credits: 500,
    authMethod: 'api_key',
    walletAddress: wallet.address,
    apiKey: { prefix, scopes },
    createdAt: expect.any(Date) as Date,
  });
  expect(await backend.account.credits()).toMatchObject({
    credits: 500,
    updatedAt: expect.any(Date) as Date,
  });
  expect(await backend.account.subscription()).toMatchObject({ status: 'none', plan: null });
  expect((await backend.account.plans()).data).toMatchObject([{ id: 'team', price: '15.00' }]);
  const { data } = await backend.account.history({ type: 'credit', limit: 1 });
  expect(data).toMatchObject([
    { type: 'credit', amount: 500, balanceAfter: 500, createdAt: expect.any(Date) as Date },
  ]);
  const usage = await backend.account.usage({ from: new Date(Date.now() - 60_000), groupBy: 'service' });
  expect(usage.from).toBeInstanceOf(Date);
  backend.close();
});

it('manages keys from the dashboard, and reports why an API key may not do so', async () => {
  const made = await dashboard.apiKeys.create({ name: 'one', scopes: [], expiresInDays: 7 });
  const rotated = await dashboard.apiKeys.rotate(made.id);
  expect(rotated.secret).not.toBe(made.secret);
  expect(await dashboard.apiKeys.revoke(made.id)).toMatchObject({
    status: 'revoked',
    revokedAt: expect.any(Date) as Date,
  });
  const { data } = await dashboard.apiKeys.list({ limit: 2 });
  expect(data.map(({ id }) => id)).toEqual([rotated.id, made.id]);
  expect((await dashboard.apiKeys.publishable()).publishableKey).toMatch(/^pk_live_/);
  const { data: rows } = await dashboard.apiKeys.auditLogs({ action: 'api_key.revoked' });
  expect(rows).toMatchObject([
    { actor: { type: 'session', prefix: made.prefix }, at: expect.any(Date) as Date },
  ]);

  const backend = new Parley({ baseUrl: server.url, auth: { apiKey: rotated.secret } });
  await expect(backend.apiKeys.list()).rejects.toMatchObject({
    code: 'ACCESS_DENIED',
    reason: 'session_required',
  });
  await expect(backend.account.history()).rejects.toMatchObject({
    code: 'MISSING_SCOPE',
    extra: { required: 'account:read' },
  });
  await dashboard.apiKeys.revoke(rotated.id);
  await expect(backend.account.get()).rejects.toMatchObject({
    code: 'AUTHENTICATION_REQUIRED',
    reason: 'api_key_revoked',
  });
  backend.close();
});

it('reads the account from an app session, which cannot manage keys', async () => {
  const app = new Parley({ apiKey: '', baseUrl: server.url });
  await expect(app.account.get()).rejects.toMatchObject({ code: 'AUTHENTICATION_REQUIRED' });
  await app.signIn(wallet);
  expect(await app.account.get()).toMatchObject({ authMethod: 'session', apiKey: null });
  await expect(app.apiKeys.create({ name: 'x' })).rejects.toMatchObject({ reason: 'session_required' });
  await expect(app.account.history()).rejects.toMatchObject({ code: 'MISSING_SCOPE' });
  app.close();
});
