import type { Address } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Parley, type GateConfig, type ParleyError } from '../../../sdk/src/index.ts';
import { startAnvil, type Anvil } from '../../harness/anvil.ts';
import { deployGateContract, sendAs, type Deployed } from '../../harness/gateContracts.ts';
import { RpcProxy } from '../../harness/RpcProxy.ts';
import { ServerProcess } from '../../harness/ServerProcess.ts';
import { TestClient } from '../../harness/TestClient.ts';

/* Gated rooms in a server, with chains of both networks: a mainnet of ours, and two test chains. */

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
  [proxy, mainProxy].forEach((one) => one?.close());
  [mainAnvil, anvil, flakyAnvil].forEach((one) => one?.stop());
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
async function give(to: Address, of = nft): Promise<bigint> {
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
  it('lets the holder in, refuses the other with what it lacks, and its host may always come in', async () => {
    const [host, holder, other] = [await client(), await client(), await client()];
    const [hostThere, holderThere, otherThere] = await Promise.all([host, holder, other].map(onTestnet));
    if (!hostThere || !holderThere || !otherThere) throw new Error('not signed in');
    await give(holder.address);
    const room = await create(hostThere, nftGate());
    expect(room).toMatchObject({
      gateType: 'nft',
      gate: { type: 'nft', minBalance: '1' },
      status: 'waiting',
    });
    expect(await otherThere.gatedRooms.checkAccess(room.id, holder.address.toLowerCase())).toEqual({
      allowed: true,
      reason: null,
      requirementsMet: [expect.stringContaining(nft.address)],
      missingRequirements: [],
    });
    // The host holds none of it, and comes in all the same.
    expect(await otherThere.gatedRooms.checkAccess(room.id, host.address)).toEqual({
      allowed: true,
      reason: null,
      requirementsMet: [],
      missingRequirements: [],
    });
    await hostThere.conference.join(room.id);
    await holderThere.conference.join(room.id);
    const error = (await otherThere.conference
      .join(room.id)
      .catch((thrown: unknown) => thrown)) as ParleyError;
    const access = await otherThere.gatedRooms.checkAccess(room.id, other.address);
    expect(access).toMatchObject({ allowed: false, requirementsMet: [] });
    expect(error).toMatchObject({ code: 'ACCESS_DENIED', extra: access, message: access.reason });
    expect(error.details).toMatchObject([{ code: 'requirement_missing' }]);
    // An invitation opens locks, and no gate.
    await hostThere.conference.invite(room.id, [other.address]);
    await expect(otherThere.conference.join(room.id)).rejects.toMatchObject({ code: 'ACCESS_DENIED' });
    // Who is in it, those in front of the gate don't see; what it asks for, they do.
    await give(holder.address);
    const seen = await (await onTestnet(await client())).conference.get(room.id);
    expect([seen.participants, seen.gateType]).toEqual([[], 'nft']);
    await hostThere.conference.end(room.id);
  });

  it('drops who sold the token, and tells everybody', async () => {
    const [host, holder] = [await client(), await client()];
    const [hostThere, holderThere] = [await onTestnet(host), await onTestnet(holder)];
    const removed = new Promise((resolve) => holderThere.on('conference:removed', resolve));
    const left = new Promise((resolve) => hostThere.on('conference:participant:left', resolve));
    const id = await give(holder.address);
    const room = await create(hostThere, nftGate());
    await hostThere.conference.join(room.id);
    await holderThere.conference.join(room.id);
    const contract = { name: 'GateNft', address: nft.address };
    await sendAs(anvil, holder.address, contract, 'transferFrom', holder.address, host.address, id);
    expect(await removed).toMatchObject({
      roomId: room.id,
      reason: 'access_lost',
      access: { allowed: false, missingRequirements: [expect.stringContaining(nft.address)] },
    });
    expect(await left).toMatchObject({ walletAddress: holder.address });
    await expect(holderThere.conference.join(room.id)).rejects.toMatchObject({ code: 'ACCESS_DENIED' });
    await hostThere.conference.end(room.id);
  });

  it('keeps who qualifies, through many checks', async () => {
    const holder = await client();
    const host = await onTestnet(await client());
    const holderThere = await onTestnet(holder);
    await give(holder.address);
    const room = await create(host, nftGate());
    await holderThere.conference.join(room.id);
    // Three checks.
    await new Promise((resolve) => setTimeout(resolve, 6_500));
    expect((await host.conference.get(room.id)).participants).toMatchObject([
      { walletAddress: holder.address },
    ]);
    await host.conference.end(room.id);
  });

  it('whose chain fails lets nobody in, and who is in may stay for a while', async () => {
    const [host, late] = [await onTestnet(await client()), await client()];
    const coin = { type: 'token', chainId: flaky, contractAddress: null, minBalance: '1' } as const;
    const rich = await client();
    for (const { address } of [rich, late])
      await (flakyAnvil.client.request as (request: object) => Promise<unknown>)({
        method: 'anvil_setBalance',
        params: [address, '0xde0b6b3a7640000'],
      });
    const room = await create(host, coin);
    const [richThere, lateThere] = [await onTestnet(rich), await onTestnet(late)];
    const removed = new Promise((resolve) => richThere.on('conference:removed', resolve));
    await richThere.conference.join(room.id);
    proxy.intercept(() => 'fail');
    const failed = Date.now();
    await expect(lateThere.conference.join(room.id)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await expect(lateThere.gatedRooms.checkAccess(room.id, late.address)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    await expect(create(host, coin)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(await removed).toMatchObject({ reason: 'access_unknown', access: null });
    // Three intervals, less what had passed of the first.
    expect(Date.now() - failed).toBeGreaterThan(3_500);
    proxy.forwardAll();
    await lateThere.conference.join(room.id);
    await host.conference.end(room.id);
  });

  it('is of the network its host is signed in to', async () => {
    const host = await client();
    const holder = await client();
    await give(holder.address, mainNft);
    await expect(create(await onTestnet(host), nftGate(main, mainNft.address))).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    await expect(create(host.parley, nftGate())).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    const room = await create(host.parley, nftGate(main, mainNft.address));
    await holder.parley.conference.join(room.id);
    const there = await onTestnet(holder);
    const elsewhere = { code: 'ACCESS_DENIED', details: [{ code: 'other_network' }] };
    await expect(there.conference.join(room.id)).rejects.toMatchObject(elsewhere);
    // Whoever asks, for whomever: they would come in from where they are, or not.
    const check = (parley: Parley, of: TestClient) => parley.gatedRooms.checkAccess(room.id, of.address);
    await expect(check(there, holder)).rejects.toMatchObject(elsewhere);
    await expect(check(await onTestnet(host), holder)).rejects.toMatchObject(elsewhere);
    expect(await check(holder.parley, holder)).toMatchObject({ allowed: true });
    // Its host comes in from there, too.
    expect(await check(await onTestnet(host), host)).toMatchObject({ allowed: true, requirementsMet: [] });
    await host.parley.conference.end(room.id);
  });

  it('is asked as it says it is', async () => {
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
