import { encodeFunctionData, decodeFunctionResult, parseAbi, toHex, type Hex } from 'viem';
import { namehash, normalize, packetToBytes } from 'viem/ens';
import type { Logger } from 'pino';
import { GroupCommit } from '../../platform/database/GroupCommit.ts';
import { onChain, type Address, type EvmAddress } from '../../sdk/protocol/address.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { normalEvmAddress } from '../../sdk/protocol/normalAddress.ts';
import type { Network } from '../../sdk/protocol/session.ts';
import { ChainReader, type ContractAnswer, type GateChains } from '../gates/ChainReader.ts';

/** The chains that may be read, and those with the Universal Resolver of ENS. */
export interface EnsDeps {
  chains: GateChains & {
    /** All chains of the network that have an RPC. */
    of(network: Network): number[];
  };
  /** The address of ENS' Universal Resolver on each chain that has one. */
  resolvers: ReadonlyMap<number, EvmAddress>;
  log: Logger;
}

interface Known<Value> {
  value: Value;
  until: number;
}

const abi = parseAbi([
  'function resolveWithGateways(bytes name, bytes data, string[] gateways) view returns (bytes, address)',
  'function reverseWithGateways(bytes reverseName, uint256 coinType, string[] gateways) view returns (string, address, address)',
]);
const addressAbi = parseAbi(['function addr(bytes32 node) view returns (address)']);
const etherCoin = 60n;
/** Names that need an off-chain gateway are not read, because the server fetches from the chain's RPC only. */
const gateways: string[] = [];
const zero = '0x0000000000000000000000000000000000000000';

const limitMs = 5_000;
/** How long an answer is used. After an error of the chain, it is asked again after a minute. */
const [nameMs, noneMs, failedMs] = [60 * 60_000, 10 * 60_000, 60_000];
const foundMs = 5 * 60_000;
const maxKnown = 10_000;
/**
 * A call of the Universal Resolver costs several hundred thousand gas, and a request has 10 million (`readGasLimit`). Calls for which none is
 * left would count as wallets without a name.
 */
const walletsAtOnce = 10;
const maxWaiting = 1_000;
const maxNameLength = 255;

/** Reads names in ENS. The answers are cached, and each read has a time limit. */
export class EnsNames {
  readonly #deps: EnsDeps;
  readonly #reader: ChainReader;
  readonly #names = new Map<string, Known<string | null>>();
  readonly #addresses = new Map<string, Known<Address | null>>();
  readonly #readings = { mainnet: this.#readingsOf('mainnet'), testnet: this.#readingsOf('testnet') };

  constructor(deps: EnsDeps) {
    this.#deps = deps;
    this.#reader = new ChainReader(deps.chains);
  }

  /** The names that are known. A wallet that is missing has to be looked up; null says that it has no name. */
  known(network: Network, wallets: Address[]): Map<Address, string | null> {
    const known = new Map<Address, string | null>();
    for (const wallet of wallets) {
      const name =
        this.#chainOf(network) && !onChain(wallet).chainId ? get(this.#names, `${network} ${wallet}`) : null;
      if (name !== undefined) known.set(wallet, name);
    }
    return known;
  }

  /**
   * Reads the names of wallets. Never rejects.
   * @returns those that have a name
   */
  async lookUp(network: Network, wallets: Address[]): Promise<Address[]> {
    const names = await Promise.all(
      wallets.map((wallet) => this.#readings[network].run(wallet).catch(() => null)),
    );
    return wallets.filter((_, index) => names[index] !== null);
  }

  /**
   * Finds the wallet that a name names.
   * @returns null if the name does not exist or names no wallet
   * @throws ParleyError VALIDATION_ERROR, SERVICE_UNAVAILABLE
   */
  async find(network: Network, text: string): Promise<Address | null> {
    const name = normalName(text);
    if (name === null)
      throw new ParleyError('VALIDATION_ERROR', 'name: not an ENS name. Write a name such as vitalik.eth.');
    const chain = this.#chainOf(network);
    if (!chain)
      throw new ParleyError(
        'SERVICE_UNAVAILABLE',
        `This server reads no ENS names on ${network}. Its operator can add Ethereum to CHAINS_MAINNET, or Sepolia to CHAINS_TESTNET.`,
      );
    const key = `${network} ${name}`;
    const known = get(this.#addresses, key);
    if (known !== undefined) return known;
    const reader = this.#reader.until(AbortSignal.timeout(limitMs));
    const [answer = null] = await reader.call(chain.id, [resolution(chain.resolver, name)]);
    const wallet = toAddress(answer);
    set(this.#addresses, key, wallet, wallet ? foundMs : failedMs);
    return wallet;
  }

  #chainOf(network: Network): { id: number; resolver: EvmAddress } | null {
    const { chains, resolvers } = this.#deps;
    for (const id of chains.of(network)) {
      const resolver = resolvers.get(id);
      if (resolver) return { id, resolver };
    }
    return null;
  }

  #readingsOf(network: Network) {
    return new GroupCommit<Address, string | null>({
      size: walletsAtOnce,
      maxWaiting,
      write: (wallets) => this.#readAll(network, wallets),
    });
  }

  async #readAll(network: Network, wallets: Address[]): Promise<(string | null)[]> {
    const known = this.known(network, wallets);
    const unknown = [...new Set(wallets.filter((wallet) => !known.has(wallet)))];
    const names = await this.#readUnknown(network, unknown).catch((err: unknown) => {
      this.#deps.log.warn({ err }, 'ENS names not read');
      return null;
    });
    unknown.forEach((wallet, index) => {
      const name = names?.[index] ?? null;
      known.set(wallet, name);
      set(this.#names, `${network} ${wallet}`, name, names ? (name ? nameMs : noneMs) : failedMs);
    });
    return wallets.map((wallet) => known.get(wallet) ?? null);
  }

  /** Reads the primary names, and keeps those whose forward resolution leads back to the wallet. */
  async #readUnknown(network: Network, wallets: Address[]): Promise<(string | null)[]> {
    const chain = this.#chainOf(network);
    if (!chain || wallets.length === 0) return wallets.map(() => null);
    const reader = this.#reader.until(AbortSignal.timeout(limitMs));
    const reversed = await reader.call(
      chain.id,
      wallets.map((wallet) => reversal(chain.resolver, wallet)),
    );
    const claimed = reversed.map(toName);
    const wanted = claimed.flatMap((name) => (name === null ? [] : [resolution(chain.resolver, name)]));
    const resolved = (await reader.call(chain.id, wanted)).map(toAddress);
    return claimed.map((name, index) => (name !== null && resolved.shift() === wallets[index] ? name : null));
  }
}

const reversal = (to: EvmAddress, wallet: Address) => ({
  to,
  data: encodeFunctionData({
    abi,
    functionName: 'reverseWithGateways',
    args: [wallet as Hex, etherCoin, gateways],
  }),
});

const resolution = (to: EvmAddress, name: string) => ({
  to,
  data: encodeFunctionData({
    abi,
    functionName: 'resolveWithGateways',
    args: [
      toHex(packetToBytes(name)),
      encodeFunctionData({ abi: addressAbi, args: [namehash(name)] }),
      gateways,
    ],
  }),
});

/** A name that is not in its normal form could look like another one. */
function toName(answer: ContractAnswer): string | null {
  const name = decoded(answer, (data) => {
    const [found] = decodeFunctionResult({ abi, functionName: 'reverseWithGateways', data });
    return found;
  });
  return name !== null && normalName(name) === name ? name : null;
}

function toAddress(answer: ContractAnswer): Address | null {
  const address = decoded(answer, (data) => {
    const [result] = decodeFunctionResult({ abi, functionName: 'resolveWithGateways', data });
    return decodeFunctionResult({ abi: addressAbi, data: result });
  });
  return address && address !== zero ? normalEvmAddress(address) : null;
}

/** null if the call was reverted, or its answer is not of this form */
function decoded<Value>(answer: ContractAnswer, decode: (data: Hex) => Value): Value | null {
  try {
    return answer && decode(answer);
  } catch {
    return null;
  }
}

function normalName(text: string): string | null {
  try {
    const name = normalize(text);
    return name.includes('.') && name.length <= maxNameLength ? name : null;
  } catch {
    return null;
  }
}

function get<Value>(all: Map<string, Known<Value>>, key: string): Value | undefined {
  const known = all.get(key);
  return known && known.until > performance.now() ? known.value : undefined;
}

function set<Value>(all: Map<string, Known<Value>>, key: string, value: Value, forMs: number): void {
  all.delete(key);
  all.set(key, { value, until: performance.now() + forMs });
  const [oldest] = all.keys();
  if (all.size > maxKnown && oldest !== undefined) all.delete(oldest);
}
