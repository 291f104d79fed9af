import {
  BaseError,
  ExecutionRevertedError,
  RpcRequestError,
  decodeFunctionResult,
  encodeFunctionData,
  hexToBigInt,
  multicall3Abi,
  parseAbi,
  size,
  type Address,
  type Hex,
  type PublicClient,
} from 'viem';
import { ParleyError } from '../../sdk/protocol/errors.ts';

/** A read-only contract call. */
export interface ContractCall {
  to: Address;
  data: Hex;
}

/** The returned data, or null when the call reverts: the function is missing or refuses. */
export type ContractAnswer = Hex | null;

/** The chains that gates may name, and their clients. */
export interface GateChains {
  /** @throws ParleyError SERVICE_UNAVAILABLE when the RPC does not answer in time, or serves another chain */
  client(chainId: number, signal?: AbortSignal): Promise<PublicClient>;
}

/** Multicall3 has this address on nearly every chain. */
const multicall3 = '0xcA11bde05977b3631167028862bE2a173976CA11';
/** viem's ABI of Multicall3 lacks it. */
const blockNumberAbi = parseAbi(['function getBlockNumber() view returns (uint256)']);
type KnownMulticalls = Map<number, { answer: boolean; until: number }>;
const rememberedMs = 60 * 60_000;
/** The maximum number of calls per request. At about 50,000 gas per call, they fit the limit of an RPC node for one eth_call. */
const callsAtOnce = 100;

/**
 * Reads contracts of a chain, many in one request where the chain supports it. A failed RPC request is an error and never counts as
 * a negative answer; only a revert by the chain does.
 */
export class ChainReader {
  readonly #chains: GateChains;
  readonly #signal: AbortSignal | undefined;
  readonly #hasMulticall: KnownMulticalls;

  constructor(chains: GateChains, signal?: AbortSignal, hasMulticall: KnownMulticalls = new Map()) {
    this.#chains = chains;
    this.#signal = signal;
    this.#hasMulticall = hasMulticall;
  }

  /** A reader like this one, whose requests are aborted by the signal. */
  until(signal: AbortSignal): ChainReader {
    return new ChainReader(this.#chains, signal, this.#hasMulticall);
  }

  /** @throws ParleyError SERVICE_UNAVAILABLE */
  async call(chainId: number, calls: ContractCall[]): Promise<ContractAnswer[]> {
    if (calls.length === 0) return [];
    const client = await this.#chains.client(chainId, this.#signal);
    return answering(chainId, async () => {
      if (calls.length > 1 && (await this.#multicalls(chainId, client))) return multicall(client, calls);
      return Promise.all(calls.map((call) => single(client, call)));
    });
  }

  async balance(chainId: number, wallet: Address): Promise<bigint> {
    const client = await this.#chains.client(chainId, this.#signal);
    return answering(chainId, () => client.getBalance({ address: wallet }));
  }

  /** The block number that contracts see. On Arbitrum, it is about that of Ethereum, and much lower than the chain's own. */
  async blockNumber(chainId: number): Promise<bigint> {
    const client = await this.#chains.client(chainId, this.#signal);
    return answering(chainId, async () => {
      if (await this.#multicalls(chainId, client)) return blockNumberIn(client);
      // viem's getBlockNumber caches one answer per client and never removes it.
      return hexToBigInt(await client.request({ method: 'eth_blockNumber' }));
    });
  }

  /** Whether the chain has Multicall3. Checked again every hour, since it may be deployed later. */
  async #multicalls(chainId: number, client: PublicClient): Promise<boolean> {
    const known = this.#hasMulticall.get(chainId);
    if (known && known.until > performance.now()) return known.answer;
    const code = await client.getCode({ address: multicall3 });
    // size() throws for null, which an RPC may answer and which says nothing.
    const answer = code !== undefined && size(code) > 0;
    this.#hasMulticall.set(chainId, { answer, until: performance.now() + rememberedMs });
    return answer;
  }
}

async function multicall(client: PublicClient, calls: ContractCall[]): Promise<ContractAnswer[]> {
  const answers: ContractAnswer[] = [];
  for (let at = 0; at < calls.length; at += callsAtOnce) {
    const some = calls.slice(at, at + callsAtOnce);
    const aggregated = some.map(({ to, data }) => ({ target: to, allowFailure: true, callData: data }));
    const data = encodeFunctionData({
      abi: multicall3Abi,
      functionName: 'aggregate3',
      args: [aggregated],
    });
    const { data: answer = '0x' } = await client.call({ to: multicall3, data });
    const results = decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data: answer });
    if (results.length !== some.length) throw new Error('Multicall3 answered fewer calls than it was given.');
    for (const { success, returnData } of results) answers.push(success ? returnData : null);
  }
  return answers;
}

async function blockNumberIn(client: PublicClient): Promise<bigint> {
  const { data = '0x' } = await client.call({
    to: multicall3,
    data: encodeFunctionData({ abi: blockNumberAbi }),
  });
  return decodeFunctionResult({ abi: blockNumberAbi, data });
}

async function single(client: PublicClient, call: ContractCall): Promise<ContractAnswer> {
  try {
    const { data } = await client.call(call);
    return data ?? '0x';
  } catch (error) {
    if (isRevert(error)) return null;
    throw error;
  }
}

/** The error code of geth and most other nodes for a reverted call. */
const revertCode = 3;
/** Nethermind, before the end of 2025, and OpenEthereum have one code for all errors of the EVM. The data tells which. */
const evmCode = -32015;

export function isRevert(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false;
  if (error.walk((cause) => cause instanceof ExecutionRevertedError)) return true;
  return error.walk((cause) => cause instanceof RpcRequestError && saysReverted(cause)) !== null;
}

const saysReverted = ({ code, data }: RpcRequestError) =>
  code === revertCode || (code === evmCode && /^revert/i.test(String(data)));

/** @throws ParleyError SERVICE_UNAVAILABLE for any failure of the chain's RPC */
export async function answering<T>(chainId: number, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    if (cause instanceof ParleyError) throw cause;
    // viem's full message contains the RPC URL, which may contain a key.
    const why = cause instanceof BaseError ? cause.shortMessage : String(cause);
    throw new ParleyError(
      'SERVICE_UNAVAILABLE',
      `Chain ${chainId} could not be read: try again in a moment.`,
      {
        retryAfter: 5,
        cause: new Error(why),
      },
    );
  }
}
