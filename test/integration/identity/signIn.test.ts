import jwt from 'jsonwebtoken';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import {
  closeSockets,
  connected,
  newWallet,
  nonceOf,
  signedMessage,
  signIn,
  verify,
  type MessageFields,
} from '../support.ts';

const appOrigin = 'https://app.example';
let server: ServerProcess;
let url: string;

beforeAll(async () => {
  server = await ServerProcess.start({ ALLOWED_ORIGINS: appOrigin });
  url = server.url;
});
afterAll(async () => {
  closeSockets();
  await server?.dispose();
});

describe('a sign-in', () => {
  it('gives an ordinary wallet an app or dashboard session', async () => {
    for (const audience of ['app', 'dashboard'] as const) {
      const account = newWallet();
      const session = await signIn(url, account, { audience });
      expect(session).toEqual({
        token: expect.any(String) as string,
        refreshToken: expect.stringMatching(/^rt_[0-9A-Za-z]{43}$/) as string,
        walletAddress: account.address,
        walletId: account.address,
        network: 'mainnet',
        chainId: 1,
        createdAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/) as string,
        expiresAt: expect.any(String) as string,
      });
      expect(Date.parse(session.expiresAt) - Date.now()).toBeGreaterThan(59 * 60_000);
      expect(jwt.decode(session.token)).toMatchObject({ sub: account.address, aud: audience, iss: 'parley' });
      expect((await connected(url, session.token)).connected).toBe(true);
    }
  });

  it('accepts an address in lower case and the test network, and defaults to the app audience', async () => {
    const account = newWallet();
    const signed = await signedMessage(url, account, { chainId: 11155111 });
    const { status, body } = await verify(url, { ...signed, walletAddress: account.address.toLowerCase() });
    expect(status).toBe(200);
    expect(body).toMatchObject({ walletAddress: account.address, network: 'testnet', chainId: 11155111 });
    expect(jwt.decode(body.token as string)).toMatchObject({ aud: 'app' });
  });

  it.each(['localhost', '127.0.0.1', '[::1]'])('accepts %s as its own page in development', async (host) => {
    const origin = `http://${host}:${new URL(url).port}`;
    const signed = await signedMessage(url, newWallet(), { origin });
    expect((await verify(url, { ...signed, audience: 'dashboard' })).status).toBe(200);
  });

  it('is for the app, not for the dashboard, on a page of an allowed origin', async () => {
    const signed = await signedMessage(url, newWallet(), { origin: appOrigin });
    const refused = await verify(url, { ...signed, audience: 'dashboard' });
    expect([refused.status, refused.body.error]).toEqual([403, 'access_denied']);
    // The rejection did not consume the nonce.
    expect((await verify(url, signed)).status).toBe(200);
  });

  it('creates one account per wallet, even by simultaneous sign-ins', async () => {
    const account = newWallet();
    const sessions = await Promise.all([signIn(url, account), signIn(url, account), signIn(url, account)]);
    const accounts = sessions.map(({ token }) => (jwt.decode(token) as { acc: string }).acc);
    expect(new Set(accounts).size).toBe(1);
  });

  const timeIn = (offsetMs: number) => new Date(Date.now() + offsetMs).toISOString();
  // Functions, because times are relative to the request and not to the start of this file.
  it.each<[string, () => Partial<MessageFields>]>([
    ['another version', () => ({ version: '2' })],
    ['a foreign page', () => ({ origin: 'https://evil.example' })],
    ['the right domain with a foreign URI', () => ({ uri: 'https://evil.example' })],
    ['another wallet', () => ({ address: newWallet().address })],
    ['an unknown chain', () => ({ chainId: 5 })],
    ['a message of the future', () => ({ issuedAt: timeIn(11 * 60_000) })],
    ['an old message', () => ({ issuedAt: timeIn(-11 * 60_000) })],
    ['a message that has expired', () => ({ end: `\nExpiration Time: ${timeIn(-1_000)}` })],
    ['a message that is not valid yet', () => ({ end: `\nNot Before: ${timeIn(60_000)}` })],
    ['a made-up nonce', () => ({ nonce: 'a'.repeat(57) })],
  ])('rejects %s with 401 invalid_token', async (_name, over) => {
    const reply = await verify(url, await signedMessage(url, newWallet(), over()));
    expect([reply.status, reply.body.error]).toEqual([401, 'invalid_token']);
    expect(reply.headers['www-authenticate']).toBe('Bearer');
    expect(reply.body.requestId).toBe(reply.headers['x-request-id']);
    expect(reply.body.requestId).toMatch(/^req_[0-9A-Za-z]{24}$/);
  });

  it('does not trust headers for the domain', async () => {
    const signed = await signedMessage(url, newWallet(), { origin: 'http://evil.example' });
    for (const [name, value, status] of [
      ['Host', 'evil.example', 421],
      ['X-Forwarded-Host', 'evil.example', 401],
      ['Origin', 'http://evil.example', 401],
    ] as const)
      expect([name, (await verify(url, signed, { [name]: value })).status]).toEqual([name, status]);
  });

  it('accepts a nonce once, even in simultaneous requests', async () => {
    const account = newWallet();
    const nonce = await nonceOf(url);
    const signed = await Promise.all(Array.from({ length: 5 }, () => signedMessage(url, account, { nonce })));
    const replies = await Promise.all(signed.map((each) => verify(url, each)));
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, 401, 401, 401, 401]);
    expect((await verify(url, signed[0])).status).toBe(401);
  });

  it('does not consume the nonce of a wrong signature', async () => {
    const account = newWallet();
    const signed = await signedMessage(url, account);
    const foreign = await newWallet().signMessage({ message: signed.message });
    for (const signature of [foreign, `0x${'00'.repeat(65)}`, `0x${'ff'.repeat(65)}`]) {
      const reply = await verify(url, { ...signed, signature });
      expect([reply.status, reply.body.error]).toEqual([401, 'invalid_token']);
    }
    expect((await verify(url, signed)).status).toBe(200);
  });

  it.each<[string, object, string, string]>([
    ['no address', { walletAddress: undefined }, 'walletAddress', 'invalid_address'],
    ['a malformed address', { walletAddress: '0x12' }, 'walletAddress', 'invalid_address'],
    [
      'a wrong checksum',
      { walletAddress: '0xA0cf798816d4b9b9866b5330eea46a18382f251e' },
      'walletAddress',
      'invalid_address',
    ],
    ['no signature', { signature: undefined }, 'signature', 'invalid_type'],
    ['a malformed signature', { signature: '0xzz' }, 'signature', 'invalid_format'],
    ['half a byte', { signature: '0x123' }, 'signature', 'invalid_format'],
    ['an oversized signature', { signature: `0x${'00'.repeat(10_000)}` }, 'signature', 'too_big'],
    ['no message', { message: '' }, 'message', 'too_small'],
    ['an oversized message', { message: 'x'.repeat(4_097) }, 'message', 'too_big'],
    ['a message in another format', { message: 'I agree.' }, 'message', 'invalid_message'],
    ['an unknown audience', { audience: 'admin' }, 'audience', 'invalid_value'],
    ['an unknown field', { role: 'admin' }, 'role', 'unknown_field'],
  ])('rejects %s with 422', async (_name, over, path, code) => {
    const { status, body } = await verify(url, { ...(await signedMessage(url)), ...over });
    expect([status, body.error]).toEqual([422, 'validation_failed']);
    expect(body.details).toContainEqual(expect.objectContaining({ path, code }));
  });
});
