import { pino } from 'pino';
import { concatHex, getAddress, maxUint256, toHex, type Address } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { gateConfig, type GateConfigInput } from '../../../sdk/protocol/gates.ts';
import { createChains } from '../../../server/chains/chains.ts';
import { Gates } from '../../../signaling/gates/Gates.ts';
import { startAnvil, type Anvil } from '../../harness/services/anvil.ts';
import {
  deployGateContract,
  installMulticall,
  rpc,
  sendAs,
  type Deployed,
} from '../../harness/services/gateContracts.ts';
import { RpcProxy } from '../../harness/nodes/RpcProxy.ts';

/* Gates on real chains with real contracts: one chain has Multicall3, the other does not. A proxy is in front of each. */

const [withMulticall, withoutMulticall, unknown] = [31_337, 31_338, 31_339];
const chains = new Map<number, { anvil: Anvil; proxy: RpcProxy; contracts: Record<string, Deployed> }>();

beforeAll(async () => {
  await Promise.all(
    [withMulticall, withoutMulticall].map(async (chainId) => {
      const anvil = await startAnvil(chainId);
      const proxy = await RpcProxy.create(anvil.url);
      // Anvil may come with a Multicall3.
      await rpc(anvil, 'anvil_setCode', '0xcA11bde05977b3631167028862bE2a173976CA11', '0x');
      if (chainId === withMulticall) await installMulticall(anvil);
      chains.set(chainId, { anvil, proxy, contracts: await deployAll(anvil) });
    }),
  );
});
afterEach(() => chains.forEach(({ proxy }) => proxy.forwardAll()));
afterAll(() =>
  chains.forEach(({ anvil, proxy }) => {
    proxy.close();
    anvil.stop();
  }),
);

async function deployAll(anvil: Anvil): Promise<Record<string, Deployed>> {
  const contracts: Record<string, Deployed> = {};
  for (const name of [
    'GateNft',
    'GateItems',
    'GateVotes',
    'GateTimeVotes',
    'MembersByQuestion',
    'OwnersByQuestion',
    'MolochMembers',
    'Moloch2Members',
    'OldNft',
    'Nonsense',
  ])
    contracts[name] = await deployGateContract(anvil, name);
  contracts.GateGovernor = await deployGateContract(anvil, 'GateGovernor', contracts.GateVotes?.address);
  contracts.TimeGovernor = await deployGateContract(anvil, 'GateGovernor', contracts.GateTimeVotes?.address);
  contracts.OldGovernor = await deployGateContract(anvil, 'OldGovernor', contracts.GateVotes?.address);
  return contracts;
}

const on = (chainId: number) => {
  const chain = chains.get(chainId);
  if (!chain) throw new Error('no such chain');
  return chain;
};
const at = (chainId: number, name: string): Deployed => on(chainId).contracts[name] as Deployed;

/** Gates with an empty cache. */
const gates = () =>
  new Gates({
    chains: createChains({
      CHAINS_MAINNET: [{ chainId: unknown, url: 'http://127.0.0.1:9' }],
      CHAINS_TESTNET: [withMulticall, withoutMulticall].map((chainId) => ({
        chainId,
        url: on(chainId).proxy.url,
      })),
    }),
    log: pino({ level: 'silent' }),
  });

type Nft = Extract<GateConfigInput, { type: 'nft' }>;
type Multi = Extract<GateConfigInput, { type: 'multi' }>;

const newAddress = () => privateKeyToAccount(generatePrivateKey()).address;
const allows = async (gate: GateConfigInput, wallet: Address) =>
  (await gates().check(gateConfig.parse(gate), wallet)).allowed;

describe.each([
  ['with Multicall3', withMulticall],
  ['without Multicall3', withoutMulticall],
])('gates on a chain %s', (_name, chainId) => {
  const contract = (name: string) => ({ chainId, contractAddress: at(chainId, name).address });

  it('ERC-721: checks any token, a number of them, or certain ids, and ignores burnt and unminted ones', async () => {
    const [wallet, id] = [newAddress(), BigInt(Date.now())];
    const nft = { type: 'nft', standard: 'erc721', ...contract('GateNft') } as const;
    expect(await allows(nft, wallet)).toBe(false);
    await at(chainId, 'GateNft').send('mint', wallet, id);
    expect(await allows(nft, wallet)).toBe(true);
    expect(await allows({ ...nft, minBalance: '2' }, wallet)).toBe(false);
    await at(chainId, 'GateNft').send('mint', wallet, id + 1n);
    expect(await allows({ ...nft, minBalance: '2' }, wallet)).toBe(true);
    const certain = { ...nft, tokenIds: [String(id), String(id + 1n), String(id + 2n)] };
    expect(await allows({ ...certain, minBalance: '2' }, wallet)).toBe(true);
    expect(await allows({ ...certain, minBalance: '3' }, wallet)).toBe(false);
    await at(chainId, 'GateNft').send('burn', id);
    expect(await allows({ ...certain, minBalance: '2' }, wallet)).toBe(false);
    expect(await allows({ ...nft, tokenIds: [String(id)] }, wallet)).toBe(false);
    expect(await allows(certain, newAddress())).toBe(false);
  });

  it('ERC-1155: adds the balances of the ids', async () => {
    const wallet = newAddress();
    const items: Nft = {
      type: 'nft',
      standard: 'erc1155',
      ...contract('GateItems'),
      tokenIds: ['1', '2'],
    };
    expect(await allows(items, wallet)).toBe(false);
    await at(chainId, 'GateItems').send('mint', wallet, 1n, 2n);
    await at(chainId, 'GateItems').send('mint', wallet, 2n, 3n);
    await at(chainId, 'GateItems').send('mint', wallet, 3n, 9n);
    expect(await allows({ ...items, minBalance: '5' }, wallet)).toBe(true);
    expect(await allows({ ...items, minBalance: '6' }, wallet)).toBe(false);
  });

  it('ERC-20 and the native coin: compares to the last unit', async () => {
    const wallet = newAddress();
    const amount = 10n ** 21n + 1n;
    const token = { type: 'token', ...contract('GateVotes'), minBalance: String(amount) } as const;
    const coin = { type: 'token', chainId, contractAddress: null, minBalance: String(amount) } as const;
    await at(chainId, 'GateVotes').send('mint', wallet, amount - 1n);
    await rpc(on(chainId).anvil, 'anvil_setBalance', wallet, `0x${(amount - 1n).toString(16)}`);
    expect([await allows(token, wallet), await allows(coin, wallet)]).toEqual([false, false]);
    await at(chainId, 'GateVotes').send('mint', wallet, 1n);
    await rpc(on(chainId).anvil, 'anvil_setBalance', wallet, `0x${amount.toString(16)}`);
    expect([await allows(token, wallet), await allows(coin, wallet)]).toEqual([true, true]);
  });

  it('votes: counts delegated votes, not held tokens', async () => {
    const [holder, delegate] = [newAddress(), newAddress()];
    const dao = { type: 'dao', method: 'votes', ...contract('GateVotes'), minVotes: '5' } as const;
    const { address } = at(chainId, 'GateVotes');
    await at(chainId, 'GateVotes').send('mint', holder, 5n);
    expect(await allows(dao, holder)).toBe(false);
    await sendAs(on(chainId).anvil, holder, { name: 'GateVotes', address }, 'delegate', delegate);
    expect([await allows(dao, holder), await allows(dao, delegate)]).toEqual([false, true]);
  });

  it.each([
    ['by blocks', 'GateGovernor', 'GateVotes'],
    ['by seconds', 'TimeGovernor', 'GateTimeVotes'],
    ['by blocks, without a clock mode', 'OldGovernor', 'GateVotes'],
  ])(
    'governor that counts %s: reads the votes of the last completed moment',
    async (_how, governor, votes) => {
      const holder = newAddress();
      const dao = { type: 'dao', method: 'governor', ...contract(governor), minVotes: '5' } as const;
      await at(chainId, votes).send('mint', holder, 5n);
      expect(await allows(dao, holder)).toBe(false);
      const { address } = at(chainId, votes);
      await sendAs(on(chainId).anvil, holder, { name: 'GateVotes', address }, 'delegate', holder);
      await rpc(on(chainId).anvil, 'anvil_mine', '0x2', '0x1');
      expect(await allows(dao, holder)).toBe(true);
      expect(await allows({ ...dao, minVotes: '6' }, holder)).toBe(false);
    },
  );

  it.each<[string, unknown[], unknown[]]>([
    ['MembersByQuestion', [true], [false]],
    ['OwnersByQuestion', [true], [false]],
    ['MolochMembers', [1n], [0n]],
    ['Moloch2Members', [1n, 0n], [0n, 7n]],
  ])('members: reads %s', async (name, member, notMember) => {
    const wallet = newAddress();
    const dao = { type: 'dao', method: 'member', ...contract(name) } as const;
    expect(await allows(dao, wallet)).toBe(false);
    await at(chainId, name).send('set', wallet, ...member);
    expect(await allows(dao, wallet)).toBe(true);
    expect(await allows({ ...dao, minVotes: '2' }, wallet)).toBe(false);
    await at(chainId, name).send('set', wallet, ...notMember);
    expect(await allows(dao, wallet)).toBe(false);
  });

  it.each<[string, GateConfigInput]>([
    [
      'no contract at the address',
      { type: 'nft', standard: 'erc721', chainId, contractAddress: newAddress() },
    ],
    ['a malformed answer', { type: 'token', ...contractLater(chainId, 'Nonsense'), minBalance: '1' }],
    ['a contract without votes', { type: 'dao', method: 'votes', ...contractLater(chainId, 'GateNft') }],
    ['a contract without members', { type: 'dao', method: 'member', ...contractLater(chainId, 'GateNft') }],
    [
      'a contract that is no governor',
      { type: 'dao', method: 'governor', ...contractLater(chainId, 'GateNft') },
    ],
  ])('%s: rejects the gate, and admits no wallet', async (_name, given) => {
    const gate = gateConfig.parse(resolved(given));
    await expect(gates().verify(gate, 'testnet', newAddress())).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    await expect(gates().check(gate, newAddress())).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });

  it('a contract that answers everything with a number that is no time: rejects the gate, and admits no wallet', async () => {
    const contractAddress = newAddress();
    const answer = concatHex(['0x7f', toHex(maxUint256), '0x60005260206000f3']);
    await rpc(on(chainId).anvil, 'anvil_setCode', contractAddress, answer);
    const gate = gateConfig.parse({ type: 'dao', method: 'governor', chainId, contractAddress });
    await expect(gates().verify(gate, 'testnet', newAddress())).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    await expect(gates().check(gate, newAddress())).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });

  it('accepts the gates of an account without a wallet', async () => {
    const conditions: GateConfigInput[] = [
      { type: 'nft', standard: 'erc721', ...contract('GateNft') },
      { type: 'nft', standard: 'erc1155', ...contract('GateItems'), tokenIds: ['1'] },
      { type: 'token', ...contract('GateVotes'), minBalance: '1' },
      { type: 'dao', method: 'member', ...contract('OwnersByQuestion') },
    ];
    const gate = gateConfig.parse({ type: 'multi', operator: 'and', conditions });
    await gates().verify(gate, 'testnet', null);
  });

  it('rejects a fungible token as an NFT, and an NFT as a fungible token', async () => {
    const verify = (gate: GateConfigInput) => gates().verify(gateConfig.parse(gate), 'testnet', newAddress());
    const nft = { type: 'nft', standard: 'erc721' } as const;
    const wrongs: GateConfigInput[] = [
      { ...nft, ...contract('GateVotes') },
      { ...nft, ...contract('GateItems') },
      { type: 'token', ...contract('GateNft'), minBalance: '1' },
      { type: 'nft', standard: 'erc1155', ...contract('GateNft'), tokenIds: ['1'] },
    ];
    for (const wrong of wrongs)
      await expect(verify(wrong)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(verify({ ...nft, ...contract('GateItems'), tokenIds: ['1'] })).rejects.toThrow(
      'use the standard erc1155',
    );
    await verify({ ...nft, ...contract('OldNft') });
    await verify({ ...nft, ...contract('GateNft') });
  });
});

/** Names a contract by a placeholder, because contracts are deployed only after the tests are listed. */
const contractLater = (chainId: number, name: string) => ({ chainId, contractAddress: `later ${name}` });
function resolved(gate: GateConfigInput): GateConfigInput {
  const { contractAddress, chainId } = gate as { contractAddress: string; chainId: number };
  const [, name] = contractAddress.split(' ');
  return name ? ({ ...gate, contractAddress: at(chainId, name).address } as GateConfigInput) : gate;
}

describe('gates of several chains', () => {
  const nftOn = (chainId: number) =>
    ({ type: 'nft', standard: 'erc721', chainId, contractAddress: at(chainId, 'GateNft').address }) as const;

  it('are checked on every chain, and list met and missing requirements', async () => {
    const wallet = newAddress();
    await at(withoutMulticall, 'GateNft').send('mint', wallet, BigInt(Date.now()));
    const both: Multi = {
      type: 'multi',
      operator: 'and',
      conditions: [nftOn(withMulticall), nftOn(withoutMulticall)],
    };
    const access = await gates().check(gateConfig.parse(both), wallet);
    expect(access).toMatchObject({ allowed: false });
    expect(access.requirementsMet).toEqual([expect.stringContaining(`chain ${withoutMulticall}`)]);
    expect(access.missingRequirements).toEqual([expect.stringContaining(`chain ${withMulticall}`)]);
    expect(access.reason).toContain(at(withMulticall, 'GateNft').address);
    expect(await allows({ ...both, operator: 'or' }, wallet)).toBe(true);
  });

  it('accept only configured chains of the session’s network', async () => {
    const verify = (chainId: number, network: 'mainnet' | 'testnet') =>
      gates().verify(
        gateConfig.parse({ type: 'token', chainId, contractAddress: null, minBalance: '1' }),
        network,
        newAddress(),
      );
    await verify(withoutMulticall, 'testnet');
    for (const [chainId, network] of [
      [withoutMulticall, 'mainnet'],
      [unknown, 'testnet'],
      [1, 'mainnet'],
      [777, 'testnet'],
    ] as const)
      await expect(verify(chainId, network)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});

describe.each([
  ['with Multicall3', withMulticall],
  ['without Multicall3', withoutMulticall],
])('a contract %s', (_name, chainId) => {
  const inspect = (name: string) => gates().inspect(chainId, at(chainId, name).address, 'testnet');

  it.each([
    ['GateNft', { name: 'Gate NFT', symbol: 'GATE', decimals: null, kinds: ['erc721'] }],
    ['GateItems', { name: null, symbol: null, decimals: null, kinds: ['erc1155'] }],
    ['GateVotes', { name: 'Gate votes', symbol: 'VOTE', decimals: 18, kinds: ['erc20', 'votes'] }],
    ['GateGovernor', { name: 'Gate governor', decimals: 18, kinds: ['governor'] }],
    ['MembersByQuestion', { kinds: ['member'] }],
    ['OwnersByQuestion', { kinds: ['member'] }],
    ['MolochMembers', { kinds: ['member'] }],
    ['Moloch2Members', { kinds: ['member'] }],
  ])('is inspected: %s', async (name, facts) => {
    expect(await inspect(name)).toMatchObject(facts);
  });

  it('is rejected if it does not exist or is on a chain of another network; an unreachable chain is an error', async () => {
    const service = gates();
    await expect(service.inspect(chainId, newAddress(), 'testnet')).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ path: 'contractAddress' }],
    });
    const refusal = { code: 'VALIDATION_ERROR', details: [{ path: 'chainId' }] };
    await expect(service.inspect(chainId, newAddress(), 'mainnet')).rejects.toMatchObject(refusal);
    await expect(service.inspect(777, newAddress(), 'testnet')).rejects.toMatchObject(refusal);
    const how = chainId === withMulticall ? 'stall' : 'fail';
    on(chainId).proxy.intercept(({ method }) => (method === 'eth_call' ? how : null));
    await expect(inspect('GateNft')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });
});

describe.each([
  ['with Multicall3', withMulticall],
  ['without Multicall3', withoutMulticall],
])('an RPC %s', (_name, chainId) => {
  const gate = () =>
    gateConfig.parse({
      type: 'multi',
      operator: 'or',
      conditions: [
        {
          type: 'nft',
          standard: 'erc721',
          chainId,
          contractAddress: at(chainId, 'GateNft').address,
          tokenIds: ['1', '2'],
        },
        { type: 'token', chainId, contractAddress: null, minBalance: '1' },
      ],
    });
  /** Meets the second condition, by its native coin. */
  const rich = getAddress('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266');

  it.each<[string, Parameters<RpcProxy['intercept']>[0]]>([
    ['fails', () => 'fail'],
    ['fails only for eth_call', ({ method }) => (method === 'eth_call' ? 'fail' : null)],
    ['answers with malformed JSON', () => 'garbage'],
    ['has another chain id', ({ method }) => (method === 'eth_chainId' ? { result: '0x1' } : null)],
    ['answers eth_getCode with null', ({ method }) => (method === 'eth_getCode' ? { result: null } : null)],
    ['answers eth_call with no bytes', ({ method }) => (method === 'eth_call' ? { result: '0x' } : null)],
    [
      'answers eth_call with too few bytes',
      ({ method }) => (method === 'eth_call' ? { result: '0x01' } : null),
    ],
  ])('admits no wallet when it %s, and does not cache the error', async (_how, behaviour) => {
    const service = gates();
    on(chainId).proxy.intercept(behaviour);
    await expect(service.check(gate(), rich)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    on(chainId).proxy.forwardAll();
    expect(await service.check(gate(), rich)).toMatchObject({ allowed: true });
  });

  it('reports an error when it stalls', async () => {
    on(chainId).proxy.intercept(({ method }) => (method === 'eth_call' ? 'stall' : null));
    const startedAt = performance.now();
    await expect(gates().check(gate(), rich)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(performance.now() - startedAt).toBeLessThan(30_000);
  });
});

it('reads the votes of a governor by the block number that contracts see, as on Arbitrum', async () => {
  const [holder, dao] = [newAddress(), at(withMulticall, 'OldGovernor').address];
  const { address } = at(withMulticall, 'GateVotes');
  await at(withMulticall, 'GateVotes').send('mint', holder, 5n);
  await sendAs(on(withMulticall).anvil, holder, { name: 'GateVotes', address }, 'delegate', holder);
  await rpc(on(withMulticall).anvil, 'anvil_mine', '0x2', '0x1');
  on(withMulticall).proxy.intercept(({ method }) =>
    method === 'eth_blockNumber' ? { result: '0x15d3ef79' } : null,
  );
  const gate = { type: 'dao', method: 'governor', chainId: withMulticall, contractAddress: dao } as const;
  expect(await allows(gate, holder)).toBe(true);
});

it('combines the calls of a check into one request with Multicall3, and caches the answer', async () => {
  const { proxy } = on(withMulticall);
  const contractAddress = at(withMulticall, 'GateItems').address;
  const tokenIds = Array.from({ length: 40 }, (_, id) => String(id));
  const gate = gateConfig.parse({
    type: 'nft',
    standard: 'erc1155',
    chainId: withMulticall,
    contractAddress,
    tokenIds,
  });
  const [service, wallet] = [gates(), newAddress()];
  proxy.requestCounts.clear();
  await Promise.all([service.check(gate, wallet), service.check(gate, wallet)]);
  await service.check(gate, wallet);
  expect(proxy.requestCounts.get('eth_call')).toBe(1);
  await service.check(gate, wallet, { isFresh: true });
  expect(proxy.requestCounts.get('eth_call')).toBe(2);
});
