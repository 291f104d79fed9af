import { isAddressEqual, parseAbi, parseEventLogs, type Hex, type Log, type PublicClient } from 'viem';
import type { Chains } from '../../chains/chains.ts';
import { receiptOf } from './Settler.ts';
import type { PaymentRow } from './tables.ts';

/**
 * The outcome of a payment on the chain. `open`: the payment's signature is unused. `pending`: this server has sent a transaction with the
 * signature, but it is not in a block yet. `spent`: the signature was used for another transfer, or was cancelled.
 */
export type PaymentOutcome =
  | { outcome: 'paid'; tx: Hex }
  | { outcome: 'spent' }
  | { outcome: 'open' }
  | { outcome: 'pending' };

type VerifiedFields = Pick<
  PaymentRow,
  'network' | 'asset' | 'payer' | 'nonce' | 'payTo' | 'amount' | 'tx' | 'sinceBlock'
>;

const abi = parseAbi([
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
]);
/**
 * How many blocks are searched for a payment. Payments are only valid for minutes, and chains produce fewer blocks in that time. Many RPCs
 * refuse to search more.
 */
const searchedBlocks = 5_000n;

/** Reads the outcome of a payment from the chain, whether this server, a facilitator or another party sent the transaction. */
export class ChainVerifier {
  readonly #chains: Pick<Chains, 'client'>;

  constructor(chains: Pick<Chains, 'client'>) {
    this.#chains = chains;
  }

  async height(network: string): Promise<number> {
    return Number(await (await this.#client(network)).getBlockNumber());
  }

  /**
   * @param waits whether to wait for a pending transaction
   * @throws Error if the RPC fails, or has not reached the block at which the payment began
   */
  async getOutcome(payment: VerifiedFields, { waits }: { waits: boolean }): Promise<PaymentOutcome> {
    const client = await this.#client(payment.network);
    const sent = payment.tx === null ? 'unknown' : await transactionOf(client, payment.tx, waits);
    if (typeof sent !== 'string' && isPaidBy(sent.logs, payment))
      return { outcome: 'paid', tx: sent.transactionHash };
    const { asset, payer, nonce } = payment;
    const fromBlock = BigInt(payment.sinceBlock);
    // A cached height could be that of a block before the payment.
    const head = await client.getBlockNumber({ cacheTime: 0 });
    if (head < fromBlock)
      throw new Error(`the RPC of ${payment.network} lags behind: it is at block ${head}`);
    const isUsed = await client.readContract({
      address: asset,
      abi,
      functionName: 'authorizationState',
      args: [payer, nonce as Hex],
      // The blocks searched below must contain the cause of this state.
      blockNumber: head,
    });
    if (!isUsed) return { outcome: sent === 'pending' ? 'pending' : 'open' };
    // Many RPCs refuse to search blocks that do not exist yet.
    const lastBlock = fromBlock + searchedBlocks;
    const used = await client.getLogs({
      address: asset,
      event: abi[1],
      args: { authorizer: payer, nonce: nonce as Hex },
      fromBlock,
      toBlock: head < lastBlock ? head : lastBlock,
    });
    for (const { transactionHash } of used) {
      const { logs } = await client.getTransactionReceipt({ hash: transactionHash });
      if (isPaidBy(logs, payment)) return { outcome: 'paid', tx: transactionHash };
    }
    return { outcome: 'spent' };
  }

  #client(network: string): Promise<PublicClient> {
    return this.#chains.client(Number(network.slice('eip155:'.length)));
  }
}

async function transactionOf(client: PublicClient, hash: Hex, waits: boolean) {
  const receipt = await client.getTransactionReceipt({ hash }).catch(() => null);
  if (receipt) return receipt;
  const isKnown = await client.getTransaction({ hash }).then(
    () => true,
    () => false,
  );
  if (!isKnown) return 'unknown';
  return waits ? receiptOf(client, hash).catch(() => 'pending' as const) : 'pending';
}

/**
 * Whether the transaction with these logs made the payment. Among the token's events, Transfer must directly follow AuthorizationUsed. A
 * Transfer elsewhere in the transaction is not enough: the payer may have used the nonce for a transfer to themselves, in the same
 * transaction as another payment.
 */
function isPaidBy(logs: Log[], { asset, payer, nonce, payTo, amount }: VerifiedFields): boolean {
  const events = parseEventLogs({ abi, logs: logs.filter(({ address }) => isAddressEqual(address, asset)) });
  const used = events.findIndex(
    (event) =>
      event.eventName === 'AuthorizationUsed' &&
      isAddressEqual(event.args.authorizer, payer) &&
      event.args.nonce === nonce,
  );
  const next = used === -1 ? undefined : events[used + 1];
  return (
    next?.eventName === 'Transfer' &&
    isAddressEqual(next.args.from, payer) &&
    isAddressEqual(next.args.to, payTo) &&
    next.args.value === BigInt(amount)
  );
}
