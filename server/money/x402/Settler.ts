import { AsyncLocalStorage } from 'node:async_hooks';
import type { FacilitatorClient } from '@x402/core/server';
import type { SettleResponse, VerifyResponse } from '@x402/core/types';
import { x402Facilitator } from '@x402/core/facilitator';
import type { FacilitatorEvmSigner } from '@x402/evm';
import { ExactEvmScheme } from '@x402/evm/exact/facilitator';
import {
  BaseError,
  ExecutionRevertedError,
  HttpRequestError,
  NonceTooLowError,
  TimeoutError,
  WaitForTransactionReceiptTimeoutError,
  concat,
  encodeFunctionData,
  getAddress,
  keccak256,
  type Abi,
  type Hex,
  type PrivateKeyAccount,
  type PublicClient,
  type TransactionSerializable,
} from 'viem';
import type { EvmAddress } from '../../../sdk/protocol/common.ts';
import type { Chains } from '../../chains/chains.ts';
import type { PaymentNetwork } from '../../config/settingKinds.ts';
import type { SettlerLease } from './SettlerLease.ts';

/** The fields that identify a payment on its chain. */
export interface PaymentKey {
  network: string;
  asset: EvmAddress;
  payer: EvmAddress;
  nonce: string;
}

interface SettlerDeps {
  account: PrivateKeyAccount;
  networks: PaymentNetwork[];
  chains: Pick<Chains, 'client'>;
  lease: (chainId: number) => SettlerLease;
  /** Maximum fee of one transaction, in the chain's smallest unit (wei). */
  maxFee: bigint;
  /** Called with the hash of a signed transaction before it is sent, so that the hash is stored whatever happens next. */
  onSigned: (payment: PaymentKey, tx: Hex) => Promise<void>;
}

/** One verification or settlement of a payment. */
interface Attempt {
  payment: PaymentKey;
  /** A failure of the server or the RPC, which is not the payer's fault; null if there was none. */
  problem: unknown;
  /** Aborts requests to the chain. */
  signal: AbortSignal | undefined;
}

/** The time limit of a whole verification. Settlements have a limit for each step instead. */
const verifyLimitMs = 10_000;

/** How long a request waits at most until its transaction is in a block. After that, the client has to retry. */
const receiptLimitMs = 20_000;
/**
 * Gas limit of a transfer. An ordinary one takes 60,000 to 90,000; contract wallets that check several owners or a passkey need more. The
 * limit is necessary because the settler pays for the gas that a payer's contract uses.
 */
const transferGas = 300_000n;
const receiptPollMs = 250;
const sendAttempts = 3;
/**
 * How much more a transaction may pay per gas than the RPC suggests. It pays only the price of its block; but with a limit below that price
 * it would wait, and all later ones with it, because of their nonces. The suggestion allows a rise by 20 %, which two full blocks make.
 */
const feeReserve = 4n;

/**
 * Creates this server's own facilitator. It uses x402's scheme for EVM chains, and sends its transactions with one key, one after another.
 */
export function createSettler(deps: SettlerDeps): FacilitatorClient {
  const attempts = new AsyncLocalStorage<Attempt>();
  const facilitator = new x402Facilitator();
  for (const each of deps.networks)
    facilitator.register(each.network, new ExactEvmScheme(signerFor(each.chainId, deps, attempts)));

  /** The scheme blames the payer for every failure. This function rethrows the failures of the server or the RPC. */
  async function attempted<T extends VerifyResponse | SettleResponse>(
    payload: Parameters<FacilitatorClient['settle']>[0],
    run: () => Promise<T>,
    isGood: (answer: T) => boolean,
    signal?: AbortSignal,
  ): Promise<T> {
    const attempt: Attempt = { payment: keyOf(payload), problem: null, signal };
    return attempts.run(attempt, async () => {
      const answer = await run();
      // oxlint-disable-next-line typescript/only-throw-error -- rethrows the original error
      if (!isGood(answer) && attempt.problem !== null) throw attempt.problem;
      return answer;
    });
  }
  return {
    verify: (payload, requirements) =>
      attempted(
        payload,
        () => facilitator.verify(payload, requirements),
        ({ isValid }) => isValid,
        AbortSignal.timeout(verifyLimitMs),
      ),
    settle: (payload, requirements) =>
      attempted(
        payload,
        () => facilitator.settle(payload, requirements),
        ({ success }) => success,
      ),
    getSupported: () =>
      Promise.resolve(facilitator.getSupported() as Awaited<ReturnType<FacilitatorClient['getSupported']>>),
  };
}

function keyOf({ accepted, payload }: Parameters<FacilitatorClient['settle']>[0]): PaymentKey {
  const { from, nonce } = (payload as { authorization: { from: string; nonce: string } }).authorization;
  return {
    network: accepted.network,
    asset: getAddress(accepted.asset),
    payer: getAddress(from),
    nonce: nonce.toLowerCase(),
  };
}

function signerFor(
  chainId: number,
  deps: SettlerDeps,
  attempts: AsyncLocalStorage<Attempt>,
): FacilitatorEvmSigner {
  const { account, chains } = deps;
  const note = (error: unknown, isOurs: (error: unknown) => boolean) => {
    const attempt = attempts.getStore();
    if (attempt && isOurs(error)) attempt.problem ??= error;
  };
  const read = async <T>(ask: (client: PublicClient) => Promise<T>): Promise<T> => {
    try {
      return await ask(await chains.client(chainId, attempts.getStore()?.signal));
    } catch (error) {
      note(error, isOutage);
      throw error;
    }
  };
  const write = async (transaction: { to: EvmAddress; data: Hex }): Promise<Hex> => {
    try {
      return await send(transaction, chainId, deps, attempts.getStore());
    } catch (error) {
      note(error, (failure) => !isRevert(failure) && !(failure instanceof TooMuchGas));
      throw error;
    }
  };
  return {
    getAddresses: () => [account.address],
    // Calls to the payer's contract get the same gas limit here as later on the chain.
    readContract: (call) =>
      read((client) => client.readContract({ ...call, ...(isPayers(call) ? { gas: transferGas } : {}) })),
    verifyTypedData: (signed) => read((client) => client.verifyTypedData(signed as never)),
    // The scheme does not await this promise, so it must not reject.
    getCode: (of) => read((client) => client.getCode(of)).catch(() => undefined),
    writeContract: ({ address, abi, functionName, args, dataSuffix }) => {
      const data = encodeFunctionData({ abi: abi as Abi, functionName, args });
      return write({ to: address, data: dataSuffix ? concat([data, dataSuffix]) : data });
    },
    sendTransaction: write,
    waitForTransactionReceipt: ({ hash }) => read((client) => receiptOf(client, hash)),
  };
}

const isPayers = ({ functionName }: { functionName: string }) =>
  ['transferWithAuthorization', 'isValidSignature'].includes(functionName);

/** Thrown if a transfer would need too much gas because of the payer's contract. */
class TooMuchGas extends Error {}

export const receiptOf = (client: PublicClient, hash: Hex) =>
  client.waitForTransactionReceipt({ hash, timeout: receiptLimitMs, pollingInterval: receiptPollMs });

async function send(
  transaction: { to: EvmAddress; data: Hex },
  chainId: number,
  { account, chains, lease, maxFee, onSigned }: SettlerDeps,
  attempt: Attempt | undefined,
): Promise<Hex> {
  const client = await chains.client(chainId);
  // This runs before the lease is taken: a transaction that would fail on the chain fails here, without making others wait.
  const prepared = await client.prepareTransactionRequest({
    account,
    ...transaction,
    chain: null,
    parameters: ['gas', 'type', 'fees'],
  });
  checkCost(prepared, maxFee);
  const nextOnChain = () => client.getTransactionCount({ address: account.address, blockTag: 'pending' });
  const once = () =>
    lease(chainId).hold(nextOnChain, async (nonce) => {
      // Only the gas and its price are taken from the RPC's answer.
      const { type, gas, gasPrice, maxPriorityFeePerGas } = prepared;
      const fees =
        type === 'legacy'
          ? { type, gasPrice }
          : { type: 'eip1559', maxFeePerGas: withReserve(prepared, maxFee), maxPriorityFeePerGas };
      const unsigned = { ...transaction, ...fees, gas, chainId, nonce } as TransactionSerializable;
      const signed = await account.signTransaction(unsigned);
      const hash = keccak256(signed);
      if (attempt) await onSigned(attempt.payment, hash);
      await client.sendRawTransaction({ serializedTransaction: signed });
      return hash;
    });
  for (let left = sendAttempts - 1; ; left--) {
    try {
      return await once();
    } catch (error) {
      // Another program uses the key, or the RPC lags behind. The next attempt reads the nonce again.
      if (left === 0 || !has(error, NonceTooLowError)) throw error;
    }
  }
}

/** The most that a transaction pays per gas, in wei, within the maximum fee. */
function withReserve({ gas, maxFeePerGas }: { gas: bigint; maxFeePerGas: bigint }, maxFee: bigint): bigint {
  const [wanted, most] = [maxFeePerGas * feeReserve, maxFee / gas];
  return wanted < most ? wanted : most;
}

/** @throws TooMuchGas, or an Error if the chain's fees are too high at the moment */
function checkCost(
  { gas, maxFeePerGas, gasPrice }: { gas?: bigint; maxFeePerGas?: bigint; gasPrice?: bigint },
  maxFee: bigint,
): void {
  if (gas === undefined || gas > transferGas)
    throw new TooMuchGas(`a transfer may use at most ${transferGas} gas`);
  const fee = gas * (maxFeePerGas ?? gasPrice ?? 0n);
  if (fee <= maxFee) return;
  const gwei = (wei: bigint) => Math.ceil(Number(wei) / 1e9);
  throw new Error(
    `sending the transfer could cost ${gwei(fee)} gwei, more than X402_MAX_FEE_GWEI (${gwei(maxFee)})`,
  );
}

type ErrorClass = abstract new (...args: never[]) => Error;

const has = (error: unknown, kind: ErrorClass) =>
  error instanceof BaseError && error.walk((cause) => cause instanceof kind) !== null;
const isRevert = (error: unknown) => has(error, ExecutionRevertedError);
/** Whether the RPC was unavailable or too slow. */
const isOutage = (error: unknown) =>
  !(error instanceof BaseError) ||
  [HttpRequestError, TimeoutError, WaitForTransactionReceiptTimeoutError].some((kind) => has(error, kind));
