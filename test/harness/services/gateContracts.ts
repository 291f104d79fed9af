import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { getAddress, type Abi, type Address, type Hex } from 'viem';
import type { Anvil } from './anvil.ts';

interface Contract {
  abi: Abi;
  bytecode: Hex;
}

const compiled = (file: string) =>
  JSON.parse(readFileSync(new URL(`../../contracts/${file}`, import.meta.url), 'utf8')) as Record<
    string,
    Contract
  >;

/** Compiled by scripts/compileContracts.mjs: OpenZeppelin's tokens, the contract types that DAOs use, and a Universal Resolver of ENS. */
const contracts = { ...compiled('GateContracts.json'), ...compiled('TestEns.json') };

export interface Deployed {
  address: Address;
  /** Sends a transaction and waits for its block. */
  send(functionName: string, ...args: unknown[]): Promise<void>;
}

export async function deployGateContract(anvil: Anvil, name: string, ...args: unknown[]): Promise<Deployed> {
  const contract = contracts[name];
  const { account } = anvil.funded;
  if (!contract) throw new Error(`there is no contract ${name}`);
  const hash = await anvil.funded.deployContract({ ...contract, args, account, chain: null });
  const { contractAddress } = await anvil.client.waitForTransactionReceipt({ hash });
  if (!contractAddress) throw new Error('not deployed');
  const address = getAddress(contractAddress);
  return {
    address,
    async send(functionName, ...given) {
      const call = { address, abi: contract.abi, functionName, args: given, account, chain: null };
      const sent = await anvil.funded.writeContract(call);
      const { status } = await anvil.client.waitForTransactionReceipt({ hash: sent });
      if (status !== 'success') throw new Error(`${functionName} reverted`);
    },
  };
}

/** Sends a transaction from any account through anvil's impersonation, so that a holder can transfer a token or delegate its votes. */
export async function sendAs(
  anvil: Anvil,
  from: Address,
  contract: { name: string; address: Address } | { abi: Abi; address: Address },
  functionName: string,
  ...args: unknown[]
): Promise<void> {
  const { abi } = 'abi' in contract ? contract : (contracts[contract.name] as Contract);
  const ask = anvil.client.request as (request: { method: string; params: unknown[] }) => Promise<unknown>;
  await ask({ method: 'anvil_impersonateAccount', params: [from] });
  await ask({ method: 'anvil_setBalance', params: [from, '0xde0b6b3a7640000'] });
  const { address } = contract;
  const call = { address, abi, functionName, args, account: from, chain: null };
  const hash = await anvil.funded.writeContract(call);
  const { status } = await anvil.client.waitForTransactionReceipt({ hash });
  if (status !== 'success') throw new Error(`${functionName} reverted`);
}

export async function rpc(anvil: Anvil, method: string, ...params: unknown[]): Promise<void> {
  const ask = anvil.client.request as (request: { method: string; params: unknown[] }) => Promise<unknown>;
  await ask({ method, params });
}

/** Installs the real Multicall3 at the address it has on every chain. */
export async function installMulticall(anvil: Anvil): Promise<void> {
  const require = createRequire(import.meta.url);
  // viem contains its bytecode but does not export it.
  const { multicall3Bytecode } = require(
    join(dirname(require.resolve('viem')), 'constants/contracts.js'),
  ) as {
    multicall3Bytecode: Hex;
  };
  const { account } = anvil.funded;
  const hash = await anvil.funded.deployContract({
    abi: [],
    bytecode: multicall3Bytecode,
    account,
    chain: null,
  });
  const { contractAddress } = await anvil.client.waitForTransactionReceipt({ hash });
  const code = await anvil.client.getCode({ address: contractAddress as Address });
  await rpc(anvil, 'anvil_setCode', '0xcA11bde05977b3631167028862bE2a173976CA11', code);
}
