import type { Address } from 'viem';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Parley, type GateConfig, type ParleyError } from '../../../sdk/src/index.ts';
import { startAnvil, type Anvil } from '../../harness/services/anvil.ts';
import { deployGateContract, sendAs, type Deployed } from '../../harness/services/gateContracts.ts';
import { RpcProxy } from '../../harness/nodes/RpcProxy.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { TestClient } from '../../harness/clients/TestClient.ts';
import { queryDatabase } from '../money/accountSupport.ts';

/* Gated rooms with chains of both networks: one configured as mainnet, two as testnets. */

const [main, test, flaky] = [31_337, 31_338, 31_339];
let anvil: Anvil;
let proxy: RpcProxy;
let mainProxy: RpcProxy;
let nft: Deployed;
let mainNft: Deployed;
let mainAnvil: Anvil;
let flakyAnvil: Anvil;
let server: ServerProcess;
const clients: { close(): void }[] = [];

beforeAll(async () => {
  [mainAnvil, anvil, flakyAnvil] = await Promise.all([startAnvil(main), startAnvil(test), startAnvil(flaky)]);
  [nft, mainNft] = await Promise.all([
    deployGateContract(anvil, 'GateNft'),
    deployGateContract(mainAnvil, 'GateNft'),
  ]);
  [proxy, mainProxy] = await Promise.all([RpcProxy.create(flakyAnvil.url), RpcProxy.create(mainAnvil.url)]);
  server = await ServerProcess.start({
    CHAINS_MAINNET: `${main}=${mainProxy.url}`,
    CHAINS_TESTNET: `${test}=${anvil.url},${flaky}=${proxy.url}`,
    CALL_GRACE_SECONDS: '2',
    GATE_RECHECK_SECONDS: '2',
  });
});
afterAll(async () => {
  clients.forEach((client) => client.close());
  await server?.dispose();
  [proxy, mainProxy].forEach((each) => each?.close());
  [mainAnvil, anvil, flakyAnvil].forEach((each) => each?.stop());
});

async function client(): Promise<TestClient> {
  const made = await TestClient.signIn(server.url);
  clients.push(made);
  return made;
}

/** The same wallet, signed in to the test network. */
async function onTestnet(of: TestClient): Promise<Parley> {
  const parley = new Parley({ apiKey: '', baseUrl: server.url, network: 'testnet' });
  clients.push(parley);
  await parley.signIn(of.account);
  return parley;
}

let nextId = 1n;
async function mint(to: Address, of = nft): Promise<bigint> {
  const id = nextId++;
  await of.send('mint', to, id);
  return id;
}

const nftGate = (chainId = test, contractAddress = nft.address): GateConfig => ({
  type: 'nft',
  standard: 'erc721',
  chainId,
  contractAddress,
});

const create = (parley: Parley, gate: GateConfig) =>
  parley.gatedRooms.create({ name: 'Holders', maxParticipants: 5, gateType: gate.type, gate });

describe('a gated room', () => {
  it('admits holders and its host, and tells others what they lack', async () => {
    const [host, holder, other] = [await client(), await client(), await client()];
    const [hostOnTestnet, holderOnTestnet, otherOnTestnet] = await Promise.all(
      [host, holder, other].map(onTestnet),
    );
    if (!hostOnTestnet || !holderOnTestnet || !otherOnTestnet) throw new Error('not signed in');
    await mint(holder.address);
    const room = await create(hostOnTestnet, nftGate());
    expect(room).toMatchObject({
      gateType: 'nft',
      gate: { type: 'nft', minBalance: '1' },
      status: 'waiting',
    });
    expect(await otherOnTestnet.gatedRooms.checkAccess(room.id, holder.address.toLowerCase())).toEqual({
      allowed: true,
      reason: null,
      requirementsMet: [expect.stringContaining(nft.address)],
      missingRequirements: [],
    });
    // The host holds no token and is admitted anyway.
    expect(await otherOnTestnet.gatedRooms.checkAccess(room.id, host.address)).toEqual({
      allowed: true,
      reason: null,
      requirementsMet: [],
      missingRequirements: [],
    });
    await hostOnTestnet.conference.join(room.id);
    await holderOnTestnet.conference.join(room.id);
    const error = (await otherOnTestnet.conference
      .join(room.id)
      .catch((thrown: unknown) => thrown)) as ParleyError;
    const access = await otherOnTestnet.gatedRooms.checkAccess(room.id, other.address);
    expect(access).toMatchObject({ allowed: false, requirementsMet: [] });
    expect(error).toMatchObject({ code: 'ACCESS_DENIED', extra: access, message: access.reason });
    expect(error.reason).toBe('requirement_missing');
    // An invitation overrides a lock, but not a gate.
    await hostOnTestnet.conference.invite(room.id, [other.address]);
    await expect(otherOnTestnet.conference.join(room.id)).rejects.toMatchObject({ code: 'ACCESS_DENIED' });
    // Wallets outside the gate see its condition, but not the participants.
    await mint(holder.address);
    const seen = await (await onTestnet(await client())).conference.get(room.id);
    expect([seen.participants, seen.gateType]).toEqual([[], 'nft']);
    await hostOnTestnet.conference.end(room.id);
  });

  it('removes a wallet from the waiting room that no longer passes the gate when it is admitted', async () => {
    const [host, holder] = [await client(), await client()];
    const [hostOnTestnet, holderOnTestnet] = [await onTestnet(host), await onTestnet(holder)];
    await mint(holder.address);
    const gate = nftGate();
    const { id: room } = await hostOnTestnet.gatedRooms.create({
      name: 'Holders',
      maxParticipants: 5,
      gateType: gate.type,
      gate,
      settings: { waitingRoom: true },
    });
    const waits = new Promise((resolve) => hostOnTestnet.on('conference:waiting:joined', resolve));
    const left = new Promise((resolve) => hostOnTestnet.on('conference:waiting:left', resolve));
    const joining = holderOnTestnet.conference.join(room).catch((error: unknown) => error);
    await waits;
    // In place of a sale, because the answer of the gate is kept for a while.
    await queryDatabase(
      server,
      `UPDATE rooms SET gate = jsonb_set(gate, '{minBalance}', '"2"') WHERE id = $1`,
      [room],
    );
    await hostOnTestnet.conference.admit(room, holder.address);
    expect(await joining).toMatchObject({ code: 'ACCESS_DENIED', reason: 'requirement_missing' });
    expect(await left).toMatchObject({ walletAddress: holder.address });
    expect(await hostOnTestnet.conference.getWaiting(room)).toEqual([]);
    await hostOnTestnet.conference.end(room);
  });

  it('removes a participant who sold the token, and notifies the others', async () => {
    const [host, holder] = [await client(), await client()];
    const [hostOnTestnet, holderOnTestnet] = [await onTestnet(host), await onTestnet(holder)];
    const removed = new Promise((resolve) => holderOnTestnet.on('conference:removed', resolve));
    const left = new Promise((resolve) => hostOnTestnet.on('conference:participant:left', resolve));
    const id = await mint(holder.address);
    const room = await create(hostOnTestnet, nftGate());
    await hostOnTestnet.conference.join(room.id);
    await holderOnTestnet.conference.join(room.id);
    const contract = { name: 'GateNft', address: nft.address };
    await sendAs(anvil, holder.address, contract, 'transferFrom', holder.address, host.address, id);
    expect(await removed).toMatchObject({
      roomId: room.id,
      reason: 'access_lost',
      access: { allowed: false, missingRequirements: [expect.stringContaining(nft.address)] },
    });
    expect(await left).toMatchObject({ walletAddress: holder.address });
    await expect(holderOnTestnet.conference.join(room.id)).rejects.toMatchObject({ code: 'ACCESS_DENIED' });
    await hostOnTestnet.conference.end(room.id);
  });

  it('keeps a participant who still qualifies over several checks', async () => {
    const holder = await client();
    const host = await onTestnet(await client());
    const holderOnTestnet = await onTestnet(holder);
    await mint(holder.address);
    const room = await create(host, nftGate());
    await holderOnTestnet.conference.join(room.id);
    // Long enough for three checks.
    await new Promise((resolve) => setTimeout(resolve, 6_500));
    expect((await host.conference.get(room.id)).participants).toMatchObject([
      { walletAddress: holder.address },
    ]);
    await host.conference.end(room.id);
  });

  it('admits nobody while its chain fails, and keeps participants for three intervals', async () => {
    const [host, late] = [await onTestnet(await client()), await client()];
    const coin = { type: 'token', chainId: flaky, contractAddress: null, minBalance: '1' } as const;
    const rich = await client();
    for (const { address } of [rich, late])
      await (flakyAnvil.client.request as (request: object) => Promise<unknown>)({
        method: 'anvil_setBalance',
        params: [address, '0xde0b6b3a7640000'],
      });
    const room = await create(host, coin);
    const [richOnTestnet, lateOnTestnet] = [await onTestnet(rich), await onTestnet(late)];
    const removed = new Promise((resolve) => richOnTestnet.on('conference:removed', resolve));
    await richOnTestnet.conference.join(room.id);
    proxy.intercept(() => 'fail');
    const failedAt = Date.now();
    await expect(lateOnTestnet.conference.join(room.id)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    await expect(lateOnTestnet.gatedRooms.checkAccess(room.id, late.address)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    await expect(create(host, coin)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(await removed).toMatchObject({ reason: 'access_unknown', access: null });
    // Three intervals, minus the elapsed part of the first one.
    expect(Date.now() - failedAt).toBeGreaterThan(3_500);
    proxy.forwardAll();
    await lateOnTestnet.conference.join(room.id);
    await host.conference.end(room.id);
  });

  it('lets a participant come back while its chain fails', async () => {
    const [host, rich] = [await onTestnet(await client()), await client()];
    const coin = { type: 'token', chainId: flaky, contractAddress: null, minBalance: '1' } as const;
    await (flakyAnvil.client.request as (request: object) => Promise<unknown>)({
      method: 'anvil_setBalance',
      params: [rich.address, '0xde0b6b3a7640000'],
    });
    const room = await create(host, coin);
    const richOnTestnet = await onTestnet(rich);
    await richOnTestnet.conference.join(room.id);
    proxy.intercept(() => 'fail');
    // Until then, the last answer is used.
    await vi.waitFor(
      () =>
        expect(host.gatedRooms.checkAccess(room.id, rich.address)).rejects.toMatchObject({
          code: 'SERVICE_UNAVAILABLE',
        }),
      { timeout: 5_000, interval: 100 },
    );
    // Another device of the same wallet, which the gate cannot admit either.
    const secondOnTestnet = await onTestnet(rich);
    await secondOnTestnet.conference.join(room.id);
    const removed = new Promise((resolve) => secondOnTestnet.on('conference:removed', resolve));
    // It may stay for as long as if it had not come back.
    expect(await removed).toMatchObject({ reason: 'access_unknown' });
    await expect(secondOnTestnet.conference.join(room.id)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    proxy.forwardAll();
    await host.conference.end(room.id);
  });

  it('belongs to the network that its host is signed in to', async () => {
    const host = await client();
    const holder = await client();
    await mint(holder.address, mainNft);
    await expect(create(await onTestnet(host), nftGate(main, mainNft.address))).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    await expect(create(host.parley, nftGate())).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    const room = await create(host.parley, nftGate(main, mainNft.address));
    await holder.parley.conference.join(room.id);
    const onOtherNetwork = await onTestnet(holder);
    const otherNetwork = { code: 'ACCESS_DENIED', reason: 'other_network' };
    await expect(onOtherNetwork.conference.join(room.id)).rejects.toMatchObject(otherNetwork);
    // The check applies to the network of the session that asks, for any wallet.
    const check = (parley: Parley, of: TestClient) => parley.gatedRooms.checkAccess(room.id, of.address);
    await expect(check(onOtherNetwork, holder)).rejects.toMatchObject(otherNetwork);
    await expect(check(await onTestnet(host), holder)).rejects.toMatchObject(otherNetwork);
    expect(await check(holder.parley, holder)).toMatchObject({ allowed: true });
    // The host is admitted from the other network, too.
    expect(await check(await onTestnet(host), host)).toMatchObject({ allowed: true, requirementsMet: [] });
    await host.parley.conference.end(room.id);
  });

  it('is checked only with a matching gate type, an existing gate and a valid address', async () => {
    const { parley } = await client();
    const gate = nftGate(main, mainNft.address);
    const wrong = parley.gatedRooms.create({ name: 'x', maxParticipants: 5, gateType: 'token', gate });
    await expect(wrong).rejects.toMatchObject({ code: 'VALIDATION_ERROR', details: [{ path: 'gateType' }] });
    const { id } = await parley.conference.create({ name: 'x', maxParticipants: 5 });
    await expect(parley.gatedRooms.checkAccess(id, mainNft.address)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(parley.gatedRooms.checkAccess(id, '0x12')).rejects.toMatchObject({
      code: 'INVALID_ADDRESS',
    });
  });
});
