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
import { inTime } from '../../platform/inTime.ts';
import { AnswerCache } from './AnswerCache.ts';
import { ChainReader, type GateChains } from './ChainReader.ts';
import { describeLeaf } from './describeLeaf.ts';
import { evaluate } from './evaluate.ts';
import type { GateExamples } from './GateExamples.ts';
import { inspectContract } from './inspectContract.ts';
import { inspectLeaf } from './inspectLeaf.ts';
import { readLeaf, UnreadableLeaf } from './readLeaf.ts';
import { wellKnownChains } from './wellKnownChains.ts';

interface GatesDeps {
  chains: GateChains & {
    networkOf(chainId: number): Network | null;
    hasRpc(chainId: number): boolean;
    /** Every chain of the network that gates may name. */
    of(network: Network): number[];
  };
  /** Contracts with which gates can be tried. @default none */
  examples?: GateExamples | null;
  log: Logger;
}

/** The time limit for reading a gate. Clients give up after ten seconds. */
const limitMs = 8_000;

/** The wallet with which the gates of accounts without one are tried. Contracts of ERC-721 refuse to tell what the zero address owns. */
const anyWallet = '0x0000000000000000000000000000000000000001';

/**
 * Decides from chain data whether wallets pass the gate of a room or stream. If a chain cannot be read, that is an error and never grants
 * access.
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
   * Rejects a gate that no wallet could pass, because it names a chain of another network, or a contract that is not of the assumed kind.
   * @param wallet the gate is tried with it, to find conditions that cannot be read; null for an account without a wallet
   * @throws ParleyError VALIDATION_ERROR, SERVICE_UNAVAILABLE
   */
  async verify(gate: GateConfig, network: Network, wallet: Address | null): Promise<void> {
    const { chains } = this.#deps;
    const { address } = onChain(wallet ?? anyWallet);
    const leaves = leavesOf(gate);
    const strangers = leaves.filter(
      ({ chainId }) => chains.networkOf(chainId) !== network || !chains.hasRpc(chainId),
    );
    refuse(
      strangers,
      ({ chainId }) =>
        `chain ${chainId} is not one this server reads on the ${network}: choose one that gatedRooms.getChains lists`,
    );
    await this.#inTime((reader) =>
      Promise.all(
        leaves.map(async (leaf) => {
          const problem = await inspectLeaf(reader, leaf);
          if (problem) refuse([leaf], () => problem);
          await readLeaf(reader, leaf, address).catch((error: unknown) => {
            if (error instanceof UnreadableLeaf) refuse([leaf], () => error.message);
            throw error;
          });
        }),
      ),
    );
  }

  /** The chains that gates on this network may name. */
  chainsOf(network: Network): WireGateChain[] {
    return this.#deps.chains.of(network).map((chainId) => {
      const { name, coin } = wellKnownChains.get(chainId) ?? { name: `Chain ${chainId}`, coin: 'coin' };
      const { examples } = this.#deps;
      return {
        chainId,
        name,
        coin,
        ...(examples?.chainId === chainId ? { examples: examples.contracts } : {}),
      };
    });
  }

  /** Gives a wallet something of an example contract. @throws ParleyError NOT_FOUND, SERVICE_UNAVAILABLE */
  async getExample(wallet: Address, chainId: number, contract: EvmAddress): Promise<void> {
    const { examples, log } = this.#deps;
    const isIt = examples?.contracts.some(({ contractAddress }) => contractAddress === contract);
    if (!examples || examples.chainId !== chainId || !isIt)
      throw new ParleyError(
        'NOT_FOUND',
        'There is no such example contract: choose one that gatedRooms.getChains lists.',
      );
    await examples.issue(contract, wallet).catch((err: unknown) => {
      log.warn({ err, chainId }, 'example of a gate not issued');
      throw new ParleyError('SERVICE_UNAVAILABLE', 'The demo chain does not answer: try again in a moment.');
    });
    this.#cache.clear();
  }

  /** @throws ParleyError VALIDATION_ERROR (chain not of this network, or no contract), SERVICE_UNAVAILABLE */
  async inspect(chainId: number, contract: EvmAddress, network: Network): Promise<WireContract> {
    const { chains } = this.#deps;
    if (chains.networkOf(chainId) !== network || !chains.hasRpc(chainId)) {
      const message = `Chain ${chainId} is not one this server reads on the ${network}: choose one that gatedRooms.getChains lists.`;
      throw new ParleyError('VALIDATION_ERROR', message, {
        reason: 'unknown_chain',
        details: [{ path: 'chainId', code: 'unknown_chain', message }],
      });
    }
    return this.#inTime((reader) => inspectContract(reader, chainId, contract));
  }

  /**
   * @param options.isFresh bypasses the cache; otherwise a positive answer may be 30 s old
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
    // On another chain, a contract wallet's address may belong to another owner.
    if (ownChain !== null && ownChain !== leaf.chainId) return false;
    try {
      return await readLeaf(reader, leaf, address);
    } catch (error) {
      if (!(error instanceof UnreadableLeaf)) throw error;
      const { type, chainId, contractAddress } = leaf;
      this.#deps.log.warn({ type, chainId, contractAddress, why: error.message }, 'gate not readable');
      throw unreadable(`${contractAddress} on chain ${chainId} could not be read: ${error.message}.`);
    }
  }

  /** Applies the time limit. Aborts all requests that are still open at the end. */
  async #inTime<T>(run: (reader: ChainReader) => Promise<T>): Promise<T> {
    const over = new AbortController();
    const late = () => unreadable('The chains take too long to answer: try again in a moment.');
    try {
      return await inTime(limitMs, run(this.#reader.until(over.signal)), late);
    } finally {
      over.abort();
    }
  }
}

export function accessDenied(access: WireAccessResult): ParleyError {
  return new ParleyError('ACCESS_DENIED', access.reason ?? 'This wallet does not pass the gate.', {
    reason: 'requirement_missing',
    extra: { ...access },
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
  if (first)
    throw new ParleyError('VALIDATION_ERROR', `gate: ${first.message}`, { reason: 'invalid_gate', details });
}
