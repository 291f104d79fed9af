import { unzipSync } from 'fflate';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deleteStatement, linkStatement } from '../../../sdk/protocol/statements.ts';
import { clientId, IdentityProvider } from '../../harness/services/IdentityProvider.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { until } from '../../harness/until.ts';
import { download } from '../files/mediaSupport.ts';
import { api, queryDatabase, roomySettings } from '../money/accountSupport.ts';
import { bearer, newWallet, signedMessage, signIn } from '../support.ts';

/* Export and erasure of accounts that an identity provider signs in to. */

let provider: IdentityProvider;
let server: ServerProcess;

beforeAll(async () => {
  provider = await IdentityProvider.start();
  server = await ServerProcess.start({
    ...roomySettings,
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: clientId,
  });
});
afterAll(async () => {
  await server?.dispose();
  await provider?.down();
});

type Headers = Record<string, string>;
const ask = (headers: Headers, method: string, path: string, body?: unknown) =>
  api(server.url, method, path, headers, body);
const rows = (text: string, values: unknown[] = []) => queryDatabase(server, text, values);
const idOf = async (headers: Headers) => String((await ask(headers, 'GET', '/account')).body['id']);

/** Creates a room, and writes in its chat. */
async function writeInRoom(headers: Headers, content: string): Promise<void> {
  const { id } = (await ask(headers, 'POST', '/rooms', { name: 'Room' })).body;
  const path = `/rooms/${String(id)}/messages`;
  expect((await ask(headers, 'POST', path, { content, displayName: 'Judy' })).status).toBe(201);
}

async function linkWallet(headers: Headers) {
  const wallet = newWallet();
  const statement = linkStatement(await idOf(headers));
  const body = { type: 'wallet', ...(await signedMessage(server.url, wallet, { statement })) };
  expect((await ask(headers, 'POST', '/account/identities', body)).status).toBe(201);
  return wallet;
}

/** The chat messages in an export. */
async function exportedChat(headers: Headers): Promise<unknown[]> {
  expect((await ask(headers, 'POST', '/account/export')).status).toBe(202);
  const url = await until(async () => {
    const { body } = await ask(headers, 'GET', '/account/export');
    return (body as { export: { url: string | null } }).export.url;
  }, 'the archive is ready');
  const entries = unzipSync((await download(url)).bytes);
  const chat = JSON.parse(Buffer.from(entries['data/roomChat.json'] ?? []).toString()) as object[];
  return chat.map((row) => (row as { content: unknown }).content);
}

/** Deletes an account at once. @param proof signs for this account */
async function erase(headers: Headers, proof: (accountId: string) => Promise<object>): Promise<void> {
  const id = await idOf(headers);
  expect((await ask(headers, 'DELETE', '/account', await proof(id))).status).toBe(202);
  await rows('UPDATE erasures SET due_at = now() WHERE account_id = $1', [id]);
  await rows(`UPDATE due SET due_at = now() WHERE kind = 'account.erase' AND subject = $1`, [id]);
  const isErased = 'SELECT FROM erasures WHERE account_id = $1 AND erased_at IS NOT NULL';
  await until(async () => (await rows(isErased, [id])).length === 1, 'the account is erased');
}

it('exports and erases what an account without a wallet wrote in rooms', async () => {
  const { idToken: token } = await provider.signIn('judy');
  await writeInRoom(bearer(token), 'judyword');
  expect(await exportedChat(bearer(token))).toEqual(['judyword']);
  await erase(bearer(token), () => Promise.resolve({ type: 'oidc', token }));
  expect(await rows(`SELECT * FROM room_chat WHERE content = 'judyword'`)).toEqual([]);
});

it('exports and erases what an account wrote in rooms before a wallet was linked to it', async () => {
  const { idToken } = await provider.signIn('kim');
  await writeInRoom(bearer(idToken), 'kimword');
  const wallet = await linkWallet(bearer(idToken));
  const dashboard = bearer((await signIn(server.url, wallet, { audience: 'dashboard' })).token);
  await writeInRoom(dashboard, 'kimwalletword');
  expect((await exportedChat(dashboard)).sort()).toEqual(['kimwalletword', 'kimword']);
  await erase(dashboard, async (accountId) => {
    const statement = deleteStatement(accountId);
    return { type: 'wallet', ...(await signedMessage(server.url, wallet, { statement })) };
  });
  expect(await rows(`SELECT * FROM room_chat WHERE content LIKE 'kim%'`)).toEqual([]);
});

it('keeps no e-mail address of an identity that was unlinked', async () => {
  const { idToken } = await provider.signIn('lee');
  const wallet = await linkWallet(bearer(idToken));
  const dashboard = bearer((await signIn(server.url, wallet, { audience: 'dashboard' })).token);
  const stored = () => rows(`SELECT id, email FROM identities WHERE subject = 'lee'`);
  const [identity] = await stored();
  expect(identity).toMatchObject({ email: 'lee@example.org' });
  const path = `/account/identities/${String(identity?.['id'])}`;
  expect((await ask(dashboard, 'DELETE', path)).status).toBe(200);
  expect(await stored()).toEqual([{ id: identity?.['id'], email: null }]);
  expect((await ask(dashboard, 'GET', '/account')).body['email']).toBeNull();
});

it('keeps the wallet of an account whose deletion was requested, so that its data are erased too', async () => {
  const { idToken } = await provider.signIn('mia');
  const wallet = await linkWallet(bearer(idToken));
  const dashboard = bearer((await signIn(server.url, wallet, { audience: 'dashboard' })).token);
  const statement = deleteStatement(await idOf(dashboard));
  const proof = { type: 'wallet', ...(await signedMessage(server.url, wallet, { statement })) };
  expect((await ask(dashboard, 'DELETE', '/account', proof)).status).toBe(202);
  const unlink = () => ask(dashboard, 'DELETE', '/account/identities/wallet');
  expect(await unlink()).toMatchObject({ status: 409, body: { error: 'conflict' } });
  expect((await ask(dashboard, 'POST', '/account/restore')).status).toBe(200);
  expect((await unlink()).status).toBe(200);
});
