import { readFileSync } from 'node:fs';
import {
  encodeDeployData,
  encodeFunctionData,
  getAddress,
  getContractAddress,
  serializeErc6492Signature,
  type Abi,
  type Address,
  type Hex,
  type PrivateKeyAccount,
} from 'viem';
import type { Anvil } from '../services/anvil.ts';
import { sendAs } from '../services/gateContracts.ts';

interface Contract {
  abi: Abi;
  bytecode: Hex;
}

type Name = 'TestWallet' | 'TestWalletFactory' | 'LookupWallet' | 'BurningWallet';

/** Compiled from TestWallet.sol by scripts/compileContracts.mjs. */
export const walletContracts = JSON.parse(
  readFileSync(new URL('../../contracts/TestWallet.json', import.meta.url), 'utf8'),
) as Record<Name, Contract>;

export async function deployWallet(
  { funded, client }: Anvil,
  name: Name,
  ...args: unknown[]
): Promise<Address> {
  const { account } = funded;
  const hash = await funded.deployContract({ ...walletContracts[name], args, account, chain: null });
  const { contractAddress } = await client.waitForTransactionReceipt({ hash });
  if (!contractAddress) throw new Error(`${name} was not deployed`);
  return getAddress(contractAddress);
}

/** Deploys wallets whose address depends only on their first owner (CREATE2), on every chain that has this factory. */
export class WalletFactory {
  readonly address: Address;

  constructor(address: Address) {
    this.address = address;
  }

  walletOf(firstOwner: Address): Address {
    const bytecode = encodeDeployData({ ...walletContracts.TestWallet, args: [firstOwner] });
    return getContractAddress({
      opcode: 'CREATE2',
      from: this.address,
      salt: `0x${'00'.repeat(32)}`,
      bytecode,
    });
  }

  async deploy(anvil: Anvil, firstOwner: Address): Promise<Address> {
    const hash = await anvil.funded.sendTransaction({
      account: anvil.funded.account,
      chain: null,
      to: this.address,
      data: this.#deployment(firstOwner),
    });
    await anvil.client.waitForTransactionReceipt({ hash });
    return this.walletOf(firstOwner);
  }

  /** A signature that contains the wallet's deployment (ERC-6492). */
  async signUndeployed(owner: PrivateKeyAccount, message: string): Promise<Hex> {
    return serializeErc6492Signature({
      address: this.address,
      data: this.#deployment(owner.address),
      signature: await owner.signMessage({ message }),
    });
  }

  #deployment(owner: Address): Hex {
    return encodeFunctionData({
      abi: walletContracts.TestWalletFactory.abi,
      functionName: 'deploy',
      args: [owner],
    });
  }
}

export const setOwner = (anvil: Anvil, wallet: Address, from: Address, to: Address): Promise<void> =>
  sendAs(anvil, from, { abi: walletContracts.TestWallet.abi, address: wallet }, 'setOwner', to);
