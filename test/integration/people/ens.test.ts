import { namehash } from 'viem/ens';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Address } from '../../../sdk/protocol/common.ts';
import type { TestClient } from '../../harness/clients/TestClient.ts';
import { oneNode, type OneNode } from '../../harness/nodes/Harness.ts';
import { RpcProxy } from '../../harness/nodes/RpcProxy.ts';
import { startAnvil, type Anvil } from '../../harness/services/anvil.ts';
import {
  deployGateContract,
  installMulticall,
  rpc,
  type Deployed,
} from '../../harness/services/gateContracts.ts';
import { until } from '../../harness/until.ts';
import { refused } from '../../scenarios/conference.ts';
import { newWallet } from '../support.ts';

/* Names in ENS, on a real chain with a contract that has the functions of the Universal Resolver. */

let anvil: Anvil;
let proxy: RpcProxy;
let ens: Deployed;
let harness: OneNode;
let client: TestClient;

beforeAll(async () => {
  anvil = await startAnvil(31_337);
  await installMulticall(anvil);
  proxy = await RpcProxy.create(anvil.url);
  ens = await deployGateContract(anvil, 'TestEns');
  harness = await oneNode({
    CHAINS_MAINNET: `31337=${proxy.url}`,
    ENS_RESOLVERS: `31337=${ens.address}`,
  });
  client = await harness.client();
});
afterEach(() => proxy.forwardAll());
afterAll(async () => {
  await harness?.close();
  proxy?.close();
  anvil?.stop();
});

/** A new wallet that claims a name. `to`: the wallet that the name points to. */
async function named(name: string, to?: Address): Promise<Address> {
  const { address } = newWallet();
  await ens.send('setName', address, name);
  await ens.send('setAddress', namehash(name), to ?? address);
  return address;
}
const ensNameOf = async (address: Address) => (await client.parley.people.get([address]))[0]?.ensName;
const calls = () => proxy.requestCounts.get('eth_call') ?? 0;

describe('find', () => {
  it('finds the wallet of a name, and asks the chain once', async () => {
    const address = await named('vitalik.eth');
    const before = calls();
    expect(await client.parley.people.find('vitalik.eth')).toBe(address);
    expect(await client.parley.people.find('Vitalik.ETH')).toBe(address);
    expect(calls() - before).toBe(1);
  });

  it('says what is wrong with a name', async () => {
    const { people } = client.parley;
    expect((await refused(people.find('nobody.eth')))[0]).toBe('NOT_FOUND');
    for (const name of ['vitalik', 'a b.eth', 'x..eth', '.', ''])
      expect((await refused(people.find(name)))[0]).toBe('VALIDATION_ERROR');
  });

  it('ends when the chain does not answer', async () => {
    proxy.intercept(() => 'stall');
    expect((await refused(client.parley.people.find('slow.eth')))[0]).toBe('SERVICE_UNAVAILABLE');
    proxy.forwardAll();
    const address = await named('slow.eth');
    expect(await client.parley.people.find('slow.eth')).toBe(address);
  });

  it('is not available on a network without ENS', async () => {
    const { Parley } = await import('../../../sdk/src/Parley.ts');
    const parley = new Parley({ apiKey: '', baseUrl: harness.url(), network: 'testnet' });
    await parley.signIn(newWallet());
    expect((await refused(parley.people.find('vitalik.eth')))[0]).toBe('SERVICE_UNAVAILABLE');
    expect(await parley.people.get([client.address])).toMatchObject([{ ensName: null }]);
    parley.close();
  });
});

describe('names of wallets', () => {
  it('come after the answer, with an event, and are read together', async () => {
    const wallets = [await named('person1.eth'), await named('person2.eth'), await named('person3.eth')];
    const before = calls();
    expect((await client.parley.people.get(wallets)).map(({ ensName }) => ensName)).toEqual([
      null,
      null,
      null,
    ]);
    for (const wallet of wallets)
      await client.event('person:updated', ({ walletAddress }) => walletAddress === wallet);
    const people = await client.parley.people.get(wallets);
    expect(people.map(({ name }) => name)).toEqual(['person1.eth', 'person2.eth', 'person3.eth']);
    // One request for the names, and one for the addresses they point to.
    expect(calls() - before).toBe(2);
  });

  it('are kept only if they point back to the wallet, in their normal form', async () => {
    const last = await named('last.eth');
    const impostor = await named('famous.eth', newWallet().address);
    const oddlyWritten = await named('Famous.eth');
    const nameless = newWallet().address;
    await client.parley.people.get([impostor, oddlyWritten, nameless]);
    // Names are read in order.
    await client.parley.people.get([last]);
    await client.event('person:updated', ({ walletAddress }) => walletAddress === last);
    for (const wallet of [impostor, oddlyWritten, nameless])
      expect(await client.request('people.get', { addresses: [wallet] })).toMatchObject([{ ensName: null }]);
    expect(client.seen('person:updated').map(({ walletAddress }) => walletAddress)).not.toContain(impostor);
  });

  it('are read of many wallets, although each costs hundreds of thousands of gas', async () => {
    const wallets: Address[] = [];
    for (let count = 0; count < 24; count++) wallets.push(await named(`costly${count}.eth`));
    const code = await anvil.client.getCode({ address: ens.address });
    const implementation = newWallet().address;
    await rpc(anvil, 'anvil_setCode', implementation, code);
    // Expands its memory, for 500,000 gas, and then delegates to the contract.
    const costly = `0x620780005150365f5f375f5f365f73${implementation.slice(2)}5af43d5f5f3e5f3d91603057fd5bf3`;
    await rpc(anvil, 'anvil_setCode', ens.address, costly);
    onTestFinished(() => rpc(anvil, 'anvil_setCode', ens.address, code));
    const names = async () => (await client.parley.people.get(wallets)).map(({ ensName }) => ensName);
    await names();
    await client.event('person:updated', ({ walletAddress }) => walletAddress === wallets[0]);
    await until(async () => !(await names()).includes(null), 'all names are read', 45_000, 500);
  });

  it('come after those of contacts and profiles', async () => {
    const alice = await harness.client();
    await ens.send('setName', alice.address, 'alice.eth');
    await ens.send('setAddress', namehash('alice.eth'), alice.address);
    await alice.parley.people.setProfile({ name: 'Alice' });
    await alice.parley.people.saveContact(client.address, 'me');
    // An event could also be about the profile, whose change is announced after its answer.
    await until(async () => (await ensNameOf(alice.address)) === 'alice.eth', 'the name is read');
    const { people } = client.parley;
    const all = { profileName: 'Alice', ensName: 'alice.eth' };
    expect(await people.get([alice.address])).toMatchObject([{ name: 'Alice', ...all }]);
    await people.saveContact(alice.address, 'Sister');
    expect(await people.get([alice.address])).toMatchObject([{ name: 'Sister', ...all }]);
  });

  it('never delay an answer while the chain hangs', async () => {
    const address = await named('hanging.eth');
    proxy.intercept(() => 'stall');
    const started = performance.now();
    expect(await ensNameOf(address)).toBeNull();
    // The chain would be waited for five seconds.
    expect(performance.now() - started).toBeLessThan(4_000);
  });
});
