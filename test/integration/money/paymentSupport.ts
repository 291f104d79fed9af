import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomBytes } from 'node:crypto';
import { x402Client, wrapFetchWithPayment } from '@x402/fetch';
import { decodePaymentResponseHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import type { PaymentRequirements } from '@x402/core/types';
import { authorizationTypes } from '@x402/evm';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { getAddress, toHex, type Address, type Hex, type PrivateKeyAccount } from 'viem';
import { anvilAccount } from '../../../server/chains/demo/DemoChain.ts';
import { deployTestDollar, mintTestDollars, testDollar } from '../../../server/chains/demo/testDollar.ts';
import { startAnvil, type Anvil } from '../../harness/services/anvil.ts';
import { newWallet, ask, type Reply } from '../support.ts';

/* A chain with a test dollar, wallets with a balance, and two ways to pay: the x402 client, and payments signed by hand. */

export const chainId = 31_337;
export const network = `eip155:${chainId}` as const;
const thousandDollars = 1_000_000_000n;

export interface PaymentChain {
  anvil: Anvil;
  token: Address;
  settler: ReturnType<typeof anvilAccount>;
  payTo: Address;
  /** Settings of a server that settles payments itself. */
  settings: Record<string, string>;
  newPayer: (dollars?: bigint) => Promise<PrivateKeyAccount>;
  balanceOf: (owner: Address) => Promise<bigint>;
  /** The number of transactions the settler has sent. */
  sent: () => Promise<number>;
  stop: () => void;
}

export async function startPaymentChain(): Promise<PaymentChain> {
  const anvil = await startAnvil(chainId);
  const token = getAddress(await deployTestDollar(anvil.client, anvil.funded));
  const settler = anvilAccount(1);
  const payTo = newWallet().address;
  // The transactions of the funded wallet must be sent one after another.
  let minting: Promise<unknown> = Promise.resolve();
  return {
    anvil,
    token,
    settler,
    payTo,
    settings: {
      CHAINS_TESTNET: `${chainId}=${anvil.url}`,
      X402_PAY_TO: payTo,
      X402_NETWORKS: `${network}=${token}`,
      X402_SETTLER_KEY: settler.key,
    },
    async newPayer(value = thousandDollars) {
      const payer = newWallet();
      minting = minting.then(() =>
        mintTestDollars(anvil.client, anvil.funded, { token, to: payer.address, value }),
      );
      await minting;
      return payer;
    },
    balanceOf: (owner) =>
      anvil.client.readContract({
        address: token,
        abi: testDollar.abi,
        functionName: 'balanceOf',
        args: [owner],
      }) as Promise<bigint>,
    sent: () => anvil.client.getTransactionCount({ address: settler.account.address }),
    stop: () => anvil.stop(),
  };
}

/**
 * The fetch of x402's own client, which pays the requested price in the token it may spend.
 * @param base the fetch that sends its requests
 */
export function payingFetch(payer: PrivateKeyAccount, token: Address, base = fetch): typeof fetch {
  const client = x402Client.fromConfig({
    schemes: [{ network, client: new ExactEvmScheme(payer) }],
    spendControls: { allowedAssets: [{ network, asset: token }] },
  });
  return wrapFetchWithPayment(base, client);
}

export interface Terms {
  accepted: PaymentRequirements;
  /** Signed fields that differ from the accepted requirements. */
  over?: Partial<Record<'from' | 'to' | 'value' | 'validAfter' | 'validBefore' | 'nonce', string>>;
  signedBy?: PrivateKeyAccount;
}

/** A PAYMENT-SIGNATURE header, signed without the x402 client. */
export async function signPayment(
  payer: PrivateKeyAccount,
  { accepted, over = {}, signedBy = payer }: Terms,
): Promise<string> {
  const now = Math.floor(Date.now() / 1_000);
  const authorization = {
    from: payer.address as string,
    to: accepted.payTo,
    value: accepted.amount,
    validAfter: String(now - 60),
    validBefore: String(now + 300),
    nonce: toHex(randomBytes(32)) as string,
    ...over,
  };
  const signature = await signedBy.signTypedData({
    domain: {
      name: accepted.extra.name as string,
      version: accepted.extra.version as string,
      chainId: Number(accepted.network.split(':')[1]),
      verifyingContract: accepted.asset as Address,
    },
    types: authorizationTypes,
    primaryType: 'TransferWithAuthorization',
    message: {
      from: authorization.from as Address,
      to: authorization.to as Address,
      value: BigInt(authorization.value),
      validAfter: BigInt(authorization.validAfter),
      validBefore: BigInt(authorization.validBefore),
      nonce: authorization.nonce as Hex,
    },
  });
  return encodePaymentSignatureHeader({ x402Version: 2, accepted, payload: { signature, authorization } });
}

export const post = (url: string, path: string, body: unknown, headers: Record<string, string> = {}) =>
  ask(url, 'POST', `/api/v1${path}`, { body, headers });

export const pay = (url: string, body: unknown, payment: string, headers: Record<string, string> = {}) =>
  post(url, '/spend', body, { 'PAYMENT-SIGNATURE': payment, ...headers });

/** The payment requirements of a request without a payment. */
export async function offered(url: string, body: unknown, path = '/spend'): Promise<PaymentRequirements> {
  const reply = await post(url, path, body);
  const [first] = reply.body.accepts as PaymentRequirements[];
  if (reply.status !== 402 || !first) throw new Error(`no payment offered: ${reply.text}`);
  return first;
}

export const receiptOf = (reply: Reply) =>
  decodePaymentResponseHeader(String(reply.headers['payment-response']));

interface RpcRequest {
  id: number;
  method: string;
  params?: unknown[];
}

export interface RpcProxy {
  url: string;
  /** The requested methods, in order. */
  calls: string[];
  /** Sets what happens to requests of a method: `drop` keeps them from the chain, `mute` never answers them, `fail` answers with 503. */
  set: (method: string, rule: 'drop' | 'mute' | 'fail' | null) => void;
  /** Resolves when such a request has arrived and, unless it is dropped, the chain has answered it. */
  seen: (method: string) => Promise<void>;
  close: () => void;
}

/** An RPC between a server and its chain that can be made to misbehave. Like most public ones, it searches only blocks that exist. */
export async function startRpcProxy(target: string): Promise<RpcProxy> {
  const rules = new Map<string, 'drop' | 'mute' | 'fail'>();
  const waiting = new Map<string, () => void>();
  const calls: string[] = [];
  const server: Server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const asked = JSON.parse(text) as RpcRequest;
      const { method } = asked;
      calls.push(method);
      const rule = rules.get(method);
      if (rule === 'fail') return void response.writeHead(503).end();
      const answer = rule === 'drop' ? Promise.resolve(null) : forward(target, asked);
      void answer.then((body) => {
        waiting.get(method)?.();
        if (!rule) response.writeHead(200, { 'Content-Type': 'application/json' }).end(body);
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    set: (method, rule) => void (rule ? rules.set(method, rule) : rules.delete(method)),
    seen: (method) => new Promise((resolve) => waiting.set(method, resolve)),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function forward(target: string, asked: RpcRequest): Promise<string> {
  const [filter] = (asked.params ?? []) as [{ toBlock?: string }?];
  if (asked.method === 'eth_getLogs' && filter?.toBlock?.startsWith('0x')) {
    const head = await send(target, { ...asked, method: 'eth_blockNumber', params: [] });
    const { result } = JSON.parse(head) as { result: string };
    const error = { code: -32602, message: 'block range extends beyond current head block' };
    if (BigInt(filter.toBlock) > BigInt(result))
      return JSON.stringify({ jsonrpc: '2.0', id: asked.id, error });
  }
  return send(target, asked);
}

async function send(target: string, asked: RpcRequest): Promise<string> {
  const headers = { 'Content-Type': 'application/json' };
  return (await fetch(target, { method: 'POST', body: JSON.stringify(asked), headers })).text();
}
