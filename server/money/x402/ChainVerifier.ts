import { isAddressEqual, parseAbi, parseEventLogs, type Hex, type Log, type PublicClient } from 'viem';
import type { Chains } from '../../chains/chains.ts';
import { receiptOf } from './Settler.ts';
import type { PaymentRow } from './tables.ts';

/**
 * What a chain says of a payment. `open`: its signature may still be used. `pending`: a transaction of ours that uses it is on
 * its way. `spent`: it was used for something else, or cancelled.
 */
export type Testimony =
  { outcome: 'paid'; tx: Hex } | { outcome: 'spent' } | { outcome: 'open' } | { outcome: 'pending' };

type Asked = Pick<
  PaymentRow,
  'network' | 'asset' | 'payer' | 'nonce' | 'payTo' | 'amount' | 'tx' | 'sinceBlock'
>;

const abi = parseAbi([
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
]);
/** A signature is good for minutes only; no chain makes more blocks in that time, and RPCs search no further. */
const searchedBlocks = 5_000n;

/** Asks the chain what became of a payment, whoever sent its transaction: us before a crash, a facilitator, a passer-by. */
export class ChainVerifier {
  readonly #chains: Pick<Chains, 'client'>;

  constructor(chains: Pick<Chains, 'client'>) {
    this.#chains = chains;
  }

  async height(network: string): Promise<number> {
    return Number(await (await this.#client(network)).getBlockNumber());
  }

  /** @param waits whether a transaction on its way is waited for */
  async ask(payment: Asked, { waits }: { waits: boolean }): Promise<Testimony> {
    const client = await this.#client(payment.network);
    const sent = payment.tx === null ? 'unknown' : await fateOf(client, payment.tx, waits);
    if (typeof sent !== 'string' && isPaidBy(sent.logs, payment))
      return { outcome: 'paid', tx: sent.transactionHash };
    const { asset, payer, nonce } = payment;
    const isUsed = await client.readContract({
      address: asset,
      abi,
      functionName: 'authorizationState',
      args: [payer, nonce as Hex],
    });
    if (!isUsed) return { outcome: sent === 'pending' ? 'pending' : 'open' };
    const fromBlock = BigInt(payment.sinceBlock);
    const used = await client.getLogs({
      address: asset,
      event: abi[1],
      args: { authorizer: payer, nonce: nonce as Hex },
      fromBlock,
      toBlock: fromBlock + searchedBlocks,
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

async function fateOf(client: PublicClient, hash: Hex, waits: boolean) {
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
 * The token says that the signature was used and then, with nothing of its own in between, that the money moved. Somewhere in the same
 * transaction is not enough: the payer may have signed the same nonce for a transfer to themselves beside another payment.
 */
function isPaidBy(logs: Log[], { asset, payer, nonce, payTo, amount }: Asked): boolean {
  const told = parseEventLogs({ abi, logs: logs.filter(({ address }) => isAddressEqual(address, asset)) });
  const used = told.findIndex(
    (event) =>
      event.eventName === 'AuthorizationUsed' &&
      isAddressEqual(event.args.authorizer, payer) &&
      event.args.nonce === nonce,
  );
  const next = used === -1 ? undefined : told[used + 1];
  return (
    next?.eventName === 'Transfer' &&
    isAddressEqual(next.args.from, payer) &&
    isAddressEqual(next.args.to, payTo) &&
    next.args.value === BigInt(amount)
  );
}
