import type { Logger } from 'pino';
import { onChain, type Address, type EvmAddress } from '../../sdk/protocol/address.ts';
import { ParleyError, type ErrorDetail } from '../../sdk/protocol/errors.ts';
import {
  leavesOf,
  type GateConfig,
  type GateLeaf,
  type WireAccessResult,
  type WireContract,
  type WireGateChain,
} from '../../sdk/protocol/gates.ts';
import type { Network } from '../../sdk/protocol/session.ts';
import { AnswerCache } from './AnswerCache.ts';
import { ChainReader, type GateChains } from './ChainReader.ts';
import { describeLeaf } from './describeLeaf.ts';
import { evaluate } from './evaluate.ts';
import { inspectContract } from './inspectContract.ts';
import { inspectLeaf } from './inspectLeaf.ts';
import { readLeaf, UnreadableLeaf } from './readLeaf.ts';
import { wellKnownChains } from './wellKnownChains.ts';

interface GatesDeps {
  chains: GateChains & {
    networkOf(chainId: number): Network | null;
    hasRpc(chainId: number): boolean;
    /** Every chain of the network that can be asked. */
    of(network: Network): number[];
  };
  log: Logger;
}

/** Within this a gate is read, or it can't be. A client waits ten seconds. */
const limitMs = 8_000;

/**
 * Whether wallets get in, by what they hold and are on the chains. For rooms and streams alike: it knows neither.
 * A chain that can't be read is an error, and never access.
 */
export class Gates {
  readonly #deps: GatesDeps;
  readonly #reader: ChainReader;
  readonly #cache = new AnswerCache();

  constructor(deps: GatesDeps) {
    this.#deps = deps;
    this.#reader = new ChainReader(deps.chains);
  }

  /**
   * Refuses a gate nobody could be let through by: of chains that are not this network's, or of contracts that are not what it
   * takes them for.
   * @throws ParleyError VALIDATION_ERROR, SERVICE_UNAVAILABLE
   */
  async verify(gate: GateConfig, network: Network, wallet: Address): Promise<void> {
    const { chains } = this.#deps;
    const leaves = leavesOf(gate);
    const strangers = leaves.filter(
      ({ chainId }) => chains.networkOf(chainId) !== network || !chains.hasRpc(chainId),
    );
    refuse(strangers, ({ chainId }) => `chain ${chainId} is not one this server reads on the ${network}`);
    await this.#inTime((reader) =>
      Promise.all(
        leaves.map(async (leaf) => {
          const problem = await inspectLeaf(reader, leaf);
          if (problem) refuse([leaf], () => problem);
          await readLeaf(reader, leaf, onChain(wallet).address).catch((error: unknown) => {
            if (error instanceof UnreadableLeaf) refuse([leaf], () => error.message);
            throw error;
          });
        }),
      ),
    );
  }

  /** The chains a gate of this network may name. */
  chainsOf(network: Network): WireGateChain[] {
    return this.#deps.chains.of(network).map((chainId) => {
      const { name, coin } = wellKnownChains.get(chainId) ?? { name: `Chain ${chainId}`, coin: 'coin' };
      return { chainId, name, coin };
    });
  }

  /** @throws ParleyError VALIDATION_ERROR (no chain of this network; no contract), SERVICE_UNAVAILABLE */
  async inspect(chainId: number, contract: EvmAddress, network: Network): Promise<WireContract> {
    const { chains } = this.#deps;
    if (chains.networkOf(chainId) !== network || !chains.hasRpc(chainId)) {
      const message = `Chain ${chainId} is not one this server reads on the ${network}.`;
      throw new ParleyError('VALIDATION_ERROR', message, {
        details: [{ path: 'chainId', code: 'unknown_chain', message }],
      });
    }
    return this.#inTime((reader) => inspectContract(reader, chainId, contract));
  }

  /**
   * @param options.isFresh nothing remembered will do; otherwise a yes may be 30 s old
   * @throws ParleyError SERVICE_UNAVAILABLE when any condition could not be read
   */
  check(gate: GateConfig, wallet: Address, { isFresh = false } = {}): Promise<WireAccessResult> {
    return this.#cache.get(`${wallet} ${JSON.stringify(gate)}`, isFresh, () =>
      this.#inTime((reader) => this.#read(reader, gate, wallet)),
    );
  }

  /** @throws ParleyError ACCESS_DENIED with the AccessResult, SERVICE_UNAVAILABLE */
  async require(gate: GateConfig, wallet: Address): Promise<void> {
    const access = await this.check(gate, wallet);
    if (!access.allowed) throw accessDenied(access);
  }

  async #read(reader: ChainReader, gate: GateConfig, wallet: Address): Promise<WireAccessResult> {
    const readings = await Promise.all(
      leavesOf(gate).map(async (leaf) => [leaf, await this.#readLeaf(reader, leaf, wallet)] as const),
    );
    return evaluate(gate, new Map(readings), onChain(wallet).chainId);
  }

  async #readLeaf(reader: ChainReader, leaf: GateLeaf, wallet: Address): Promise<boolean> {
    const { address, chainId: ownChain } = onChain(wallet);
    // The address of a contract wallet may be somebody else's on any chain but its own.
    if (ownChain !== null && ownChain !== leaf.chainId) return false;
    try {
      return await readLeaf(reader, leaf, address);
    } catch (error) {
      if (!(error instanceof UnreadableLeaf)) throw error;
      const { type, chainId, contractAddress } = leaf;
      this.#deps.log.warn({ type, chainId, contractAddress, why: error.message }, 'gate can’t be read');
      throw unreadable(`${contractAddress} on chain ${chainId} can’t be read: ${error.message}.`);
    }
  }

  /** Whatever is still being asked when it is over, ends. */
  async #inTime<T>(run: (reader: ChainReader) => Promise<T>): Promise<T> {
    const over = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(unreadable('The chains take too long to answer: try again.')), limitMs);
    });
    try {
      return await Promise.race([run(this.#reader.until(over.signal)), late]);
    } finally {
      clearTimeout(timer);
      over.abort();
    }
  }
}

export function accessDenied(access: WireAccessResult): ParleyError {
  const details = access.missingRequirements.map((requirement) => ({
    path: 'gate',
    code: 'requirement_missing',
    message: requirement,
  }));
  return new ParleyError('ACCESS_DENIED', access.reason ?? 'This is not for this wallet.', {
    reason: 'access_denied',
    extra: { ...access },
    details,
  });
}

const unreadable = (message: string) => new ParleyError('SERVICE_UNAVAILABLE', message, { retryAfter: 5 });

function refuse(leaves: GateLeaf[], why: (leaf: GateLeaf) => string): void {
  const details: ErrorDetail[] = leaves.map((leaf) => ({
    path: 'gate',
    code: 'invalid_gate',
    message: `to ${describeLeaf(leaf)}: ${why(leaf)}`,
  }));
  const [first] = details;
  if (first) throw new ParleyError('VALIDATION_ERROR', `gate: ${first.message}`, { details });
}
