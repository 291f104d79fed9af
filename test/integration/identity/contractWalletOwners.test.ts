import type { Socket } from 'socket.io-client';
import type { Hex, PrivateKeyAccount } from 'viem';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Address, EvmAddress } from '../../../sdk/protocol/common.ts';
import { newId } from '../../../sdk/protocol/ids.ts';
import type { WireSession } from '../../../sdk/protocol/session.ts';
import { startAnvil, type Anvil } from '../../harness/services/anvil.ts';
import { rpc } from '../../harness/services/gateContracts.ts';
import { RpcProxy } from '../../harness/nodes/RpcProxy.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { TestClient } from '../../harness/clients/TestClient.ts';
import { deployWallet, setOwner, WalletFactory } from '../../harness/clients/testWallets.ts';
import { api, queryDatabase } from '../money/accountSupport.ts';
import { recording, tone } from '../files/mediaSupport.ts';
import {
  bearer,
  closeSockets,
  connected,
  newWallet,
  next,
  refresh,
  send,
  signedMessage,
  signIn,
  verify,
} from '../support.ts';

/*
 * Two chains of one network with the same factory, so that one address may have two owners. On `home` the wallet was sold. On
 * `away` it was never deployed, so its first owner can still sign for it there.
 */

const [home, away] = [31_337, 31_345];
const [alice, bob, carol] = [newWallet(), newWallet(), newWallet()];
let homeChain: Anvil;
let awayChain: Anvil;
let homeRpc: RpcProxy;
let factory: WalletFactory;
let server: ServerProcess;
/** A wallet that Alice sold to Bob. */
let safe: EvmAddress;
let friend: TestClient;

beforeAll(async () => {
  [homeChain, awayChain] = await Promise.all([startAnvil(home), startAnvil(away)]);
  homeRpc = await RpcProxy.create(homeChain.url);
  const [one, other] = await Promise.all(
    [homeChain, awayChain].map((chain) => deployWallet(chain, 'TestWalletFactory')),
  );
  if (!one || one !== other) throw new Error('the factories have different addresses');
  factory = new WalletFactory(one);
  safe = await factory.deploy(homeChain, alice.address);
  await setOwner(homeChain, safe, alice.address, bob.address);
  server = await ServerProcess.start({
    CHAINS_TESTNET: `${home}=${homeRpc.url},${away}=${awayChain.url}`,
    OPERATOR_WALLETS: `EIP155:${home}:${safe.toLowerCase()},${factory.walletOf(carol.address)}`,
  });
  friend = await TestClient.signIn(server.url);
});
afterEach(() => {
  closeSockets();
  homeRpc.forwardAll();
});
afterAll(async () => {
  friend?.close();
  await server?.dispose();
  homeRpc?.close();
  [homeChain, awayChain].forEach((chain) => chain?.stop());
});

const idOf = (chainId: number, address: EvmAddress): Address => `eip155:${chainId}:${address}`;

/** The body of /auth/verify, signed by the owner. */
async function proof(wallet: EvmAddress, chainId: number, owner: PrivateKeyAccount, isDeployed: boolean) {
  const { message, signature } = await signedMessage(server.url, owner, { address: wallet, chainId });
  return {
    walletAddress: wallet,
    message,
    signature: isDeployed ? signature : await factory.signUndeployed(owner, message),
    audience: 'dashboard',
  };
}

async function signInAs(
  wallet: EvmAddress,
  chainId: number,
  owner: PrivateKeyAccount,
  isDeployed = true,
): Promise<WireSession> {
  const reply = await verify(server.url, await proof(wallet, chainId, owner, isDeployed));
  if (reply.status !== 200) throw new Error(reply.text);
  return reply.body as unknown as WireSession;
}

const signInBob = () => signInAs(safe, home, bob);
const signInAliceAway = () => signInAs(safe, away, alice, false);

/** @returns the data of the answer, or the code of its error */
async function outcome(socket: Socket, name: string, payload: object = {}): Promise<unknown> {
  const answer = await send(socket, name, payload);
  return answer.ok ? answer.data : answer.error.code;
}

describe('a sold contract wallet and its address on another chain', () => {
  it('are two parties: the former owner has no access to the account, keys and credits', async () => {
    expect(await verify(server.url, await proof(safe, home, alice, true))).toMatchObject({ status: 401 });
    expect(await verify(server.url, await proof(safe, home, alice, false))).toMatchObject({ status: 401 });
    const [owned, former] = [await signInBob(), await signInAliceAway()];
    expect(owned).toMatchObject({ walletAddress: safe, walletId: idOf(home, safe), chainId: home });
    expect(former).toMatchObject({ walletAddress: safe, walletId: idOf(away, safe), chainId: away });
    const [own, other] = [bearer(owned.token), bearer(former.token)];
    const made = await api(server.url, 'POST', '/api-keys', own, {
      name: 'the safe',
      scopes: ['account:read'],
    });
    const { id, secret } = made.body as { id: string; secret: string };
    const [account, formerAccount, byKey] = await Promise.all(
      [own, other, bearer(secret)].map(
        async (headers) => (await api(server.url, 'GET', '/account', headers)).body,
      ),
    );
    expect(account).toMatchObject({ walletAddress: safe, walletId: idOf(home, safe) });
    expect(byKey).toMatchObject({ id: account?.id, walletAddress: safe, walletId: idOf(home, safe) });
    expect(formerAccount).toMatchObject({ walletAddress: safe, walletId: idOf(away, safe) });
    expect(formerAccount?.id).not.toBe(account?.id);
    expect((await api(server.url, 'GET', '/api-keys', other)).body.data).toEqual([]);
    expect((await api(server.url, 'DELETE', `/api-keys/${id}`, other)).status).toBe(404);
    expect((await api(server.url, 'GET', '/account', bearer(secret))).status).toBe(200);
    const identities = (await api(server.url, 'GET', '/account/identities', own)).body.data;
    expect(identities).toMatchObject([{ id: 'wallet', walletAddress: safe, walletId: idOf(home, safe) }]);
  });

  it('have separate messages, calls, voicemails and blocks', async () => {
    const [owned, former] = [await signInBob(), await signInAliceAway()];
    const [phone, stranger] = [
      await connected(server.url, owned.token),
      await connected(server.url, former.token),
    ];
    const received: string[] = [];
    stranger.onAny((name: string) => !name.startsWith('session:') && received.push(name));
    const to = idOf(home, safe);
    const content = 'the vault code is 4711';
    // An id in upper case is accepted, as a plain address is.
    const sent = await friend.parley.messages.send({
      to: to.toUpperCase().replace('0X', '0x'),
      content,
      type: 'text',
    });
    expect(sent).toMatchObject({ to, content });
    expect(await outcome(phone, 'messages.getConversations')).toMatchObject([{ with: friend.address }]);
    expect(await outcome(phone, 'messages.getMessages', { with: friend.address })).toMatchObject([
      { from: friend.address, to, content },
    ]);
    expect(await outcome(stranger, 'messages.getConversations')).toEqual([]);
    expect(await outcome(stranger, 'messages.getMessages', { with: friend.address })).toEqual([]);
    expect(await outcome(stranger, 'messages.markAsRead', { messageId: sent.id })).toBe('NOT_FOUND');

    const caller = await connected(server.url, friend.parley.session?.token ?? '');
    const [incoming, call] = await Promise.all([
      next<{ id: string; to: string }>(phone, 'call:incoming'),
      outcome(caller, 'calls.start', { to, type: 'audio' }) as Promise<{ id: string }>,
    ]);
    expect(incoming).toMatchObject({ id: call.id, from: friend.address, to });
    expect(await outcome(stranger, 'calls.answer', { callId: call.id })).toBe('NOT_FOUND');
    expect(await outcome(stranger, 'calls.getActive')).toEqual([]);
    expect(await outcome(phone, 'calls.answer', { callId: call.id })).toMatchObject({ status: 'active', to });
    await outcome(phone, 'calls.end', { callId: call.id });
    expect(await outcome(stranger, 'calls.getHistory')).toEqual([]);
    expect(await outcome(phone, 'calls.getHistory', { with: friend.address })).toHaveLength(1);

    const { id } = await friend.parley.voicemail.record({
      to,
      file: await recording('voice.wav', ...tone(1)),
    });
    expect(await outcome(phone, 'voicemail.getAll')).toMatchObject([{ id, to }]);
    expect(await outcome(stranger, 'voicemail.getAll')).toEqual([]);
    expect(await outcome(stranger, 'voicemail.get', { voicemailId: id })).toBe('NOT_FOUND');

    // A block of one does not block the other.
    await friend.parley.calls.block(idOf(away, safe));
    expect(await friend.parley.calls.getBlocked()).toEqual([idOf(away, safe)]);
    const text = { id: newId('msg'), to: friend.address, content: 'it is safe', type: 'text' };
    expect(await outcome(phone, 'messages.send', text)).toMatchObject({ from: to });
    await friend.event('message:received', ({ from }) => from === to);
    expect(received).toEqual([]);
  });

  it('have separate streams, rooms and operator rights', async () => {
    const [owned, former] = [await signInBob(), await signInAliceAway()];
    const [phone, stranger] = [
      await connected(server.url, owned.token),
      await connected(server.url, former.token),
    ];
    const stream = (await outcome(phone, 'streaming.create', { title: 'The safe', isPublic: false })) as {
      id: string;
      host: string;
    };
    expect(stream.host).toBe(idOf(home, safe));
    expect(await outcome(stranger, 'streaming.list', {})).toEqual([]);
    for (const name of ['streaming.end', 'streaming.resetKey', 'streaming.getViewers'])
      expect(await outcome(stranger, name, { streamId: stream.id })).toBe('ACCESS_DENIED');
    const room = (await outcome(phone, 'conference.create', {
      name: 'The safe',
      maxParticipants: 5,
      settings: { waitingRoom: true },
    })) as {
      id: string;
    };
    expect(await outcome(stranger, 'conference.list', {})).toEqual([]);
    expect(await outcome(stranger, 'conference.end', { roomId: room.id })).toBe('ACCESS_DENIED');
    expect(await outcome(stranger, 'conference.join', { roomId: room.id })).toEqual({ state: 'waiting' });
    const joined = await outcome(phone, 'conference.join', { roomId: room.id });
    expect(joined).toMatchObject({
      state: 'joined',
      participant: { walletAddress: idOf(home, safe), role: 'host' },
    });
    expect(await outcome(phone, 'conference.getWaiting', { roomId: room.id })).toMatchObject([
      { walletAddress: idOf(away, safe) },
    ]);

    const operatorStatus = async ({ token }: { token: string }) =>
      (await api(server.url, 'GET', '/operator/payments', bearer(token))).status;
    expect([await operatorStatus(owned), await operatorStatus(former)]).toEqual([200, 403]);
    // A plain address in OPERATOR_WALLETS names an ordinary key. A contract at that address is no operator.
    await factory.deploy(homeChain, carol.address);
    const carolSession = await signInAs(factory.walletOf(carol.address), home, carol);
    expect(await operatorStatus(carolSession)).toBe(403);
  });

  it('cannot renew each other’s connections', async () => {
    const [owned, former] = [await signInBob(), await signInAliceAway()];
    const phone = await connected(server.url, owned.token);
    expect(await outcome(phone, 'session.renew', { token: former.token })).toBe('ACCESS_DENIED');
    const again = await signInBob();
    expect(await outcome(phone, 'session.renew', { token: again.token })).toHaveProperty('expiresAt');
  });

  it('meet gates only on their own chain', async () => {
    const gateOn = (chainId: number) => ({ type: 'token', chainId, contractAddress: null, minBalance: '5' });
    await Promise.all(
      [homeChain, awayChain].flatMap((chain) =>
        [safe, friend.address].map((address) => rpc(chain, 'anvil_setBalance', address, '0x64')),
      ),
    );
    const socket = await connected(server.url, (await testnetSession(newWallet())).token);
    const settings = { name: 'Holders', maxParticipants: 5, gateType: 'token' };
    const roomOn = async (chainId: number) =>
      ((await outcome(socket, 'gatedRooms.create', { ...settings, gate: gateOn(chainId) })) as { id: string })
        .id;
    const check = (roomId: string, walletAddress: string) =>
      outcome(socket, 'gatedRooms.checkAccess', { roomId, walletAddress });
    const [homeRoom, awayRoom] = [await roomOn(home), await roomOn(away)];
    expect(await check(homeRoom, idOf(home, safe))).toMatchObject({ allowed: true });
    expect(await check(awayRoom, friend.address)).toMatchObject({ allowed: true });
    const refused = (await check(awayRoom, idOf(home, safe))) as { allowed: boolean; reason: string };
    expect(refused.allowed).toBe(false);
    expect(refused.reason).toContain(`a contract wallet counts on its own chain only, which is ${home}`);
    const phone = await connected(server.url, (await signInBob()).token);
    expect(await outcome(phone, 'conference.join', { roomId: awayRoom })).toBe('ACCESS_DENIED');
    expect(await outcome(phone, 'conference.join', { roomId: homeRoom })).toMatchObject({ state: 'joined' });
  });
});

async function testnetSession(account: PrivateKeyAccount): Promise<WireSession> {
  const reply = await verify(server.url, await signedMessage(server.url, account, { chainId: home }));
  return reply.body as unknown as WireSession;
}

describe('a refresh', () => {
  it('verifies the wallet again: a removed owner loses the session', async () => {
    const [first, second] = [newWallet(), newWallet()];
    const wallet = await factory.deploy(homeChain, first.address);
    const session = await signInAs(wallet, home, first);
    const refreshed = await refresh(server.url, session.refreshToken);
    expect(refreshed).toMatchObject({ status: 200, body: { walletId: idOf(home, wallet) } });
    const { token, refreshToken } = refreshed.body as { token: string; refreshToken: string };
    const socket = await connected(server.url, token);
    await setOwner(homeChain, wallet, first.address, second.address);
    const ended = next(socket, 'session:ended');
    const refused = await refresh(server.url, refreshToken);
    expect(refused).toMatchObject({ status: 401, body: { error: 'invalid_token' } });
    expect(refused.body.message).toContain('no longer accepts');
    await ended;
    expect((await api(server.url, 'GET', '/account', bearer(token))).status).toBe(401);
    // The new owner signs in as the same party.
    expect(await signInAs(wallet, home, second)).toMatchObject({ walletId: idOf(home, wallet) });
  });

  it('verifies the wallet also when a refresh token is sent again', async () => {
    const [first, second] = [newWallet(), newWallet()];
    const wallet = await factory.deploy(homeChain, first.address);
    const { refreshToken } = await signInAs(wallet, home, first);
    expect(await refresh(server.url, refreshToken)).toMatchObject({ status: 200 });
    await setOwner(homeChain, wallet, first.address, second.address);
    const refused = await refresh(server.url, refreshToken);
    expect(refused).toMatchObject({ status: 401, body: { error: 'invalid_token' } });
    expect(refused.body.message).toContain('no longer accepts');
  });

  it('answers 503 while the chain is unavailable, and the refresh token stays valid', async () => {
    const { refreshToken } = await signInBob();
    for (const how of ['fail', 'garbage'] as const) {
      homeRpc.intercept(({ method }) => (method === 'eth_call' ? how : null));
      expect(await refresh(server.url, refreshToken)).toMatchObject({
        status: 503,
        body: { error: 'service_unavailable' },
      });
      // A sign-in is a 503 as well, not a 401.
      expect(await verify(server.url, await proof(safe, home, bob, true))).toMatchObject({ status: 503 });
    }
    homeRpc.forwardAll();
    expect(await refresh(server.url, refreshToken)).toMatchObject({ status: 200 });
  });

  it('works both before and after the wallet is deployed, until its owner changes', async () => {
    const [first, second] = [newWallet(), newWallet()];
    const wallet = factory.walletOf(first.address);
    let { refreshToken } = await signInAs(wallet, home, first, false);
    const again = async () => {
      const reply = await refresh(server.url, refreshToken);
      ({ refreshToken } = reply.body as { refreshToken: string });
      return reply.status;
    };
    expect(await again()).toBe(200);
    await factory.deploy(homeChain, first.address);
    expect(await again()).toBe(200);
    await setOwner(homeChain, wallet, first.address, second.address);
    expect(await again()).toBe(401);
  });

  it('makes no chain request for an ordinary key, even if its account has code (EIP-7702)', async () => {
    const dave = newWallet();
    const code: Hex = `0xef0100${safe.slice(2).toLowerCase()}`;
    await rpc(homeChain, 'anvil_setCode', dave.address, code);
    const before = [...homeRpc.requestCounts.values()].reduce((sum, count) => sum + count, 0);
    const session = await testnetSession(dave);
    expect(session).toMatchObject({ walletAddress: dave.address, walletId: dave.address, chainId: home });
    expect(await refresh(server.url, session.refreshToken)).toMatchObject({
      status: 200,
      body: { walletId: dave.address },
    });
    expect([...homeRpc.requestCounts.values()].reduce((sum, count) => sum + count, 0)).toBe(before);
  });

  it('ends a wallet session without stored evidence of its sign-in', async () => {
    const session = await signIn(server.url);
    const older = `UPDATE sessions SET wallet_evidence = NULL WHERE wallet = $1`;
    await queryDatabase(server, older, [session.walletAddress]);
    const refused = await refresh(server.url, session.refreshToken);
    expect(refused.status).toBe(401);
    expect(refused.body.message).toContain('older than an update of the server');
  });
});
