import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { concatHex, createPublicClient, http, parseAbi, serializeErc8010Signature, toHex } from 'viem';
import type { Address } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { createSiweMessage } from 'viem/siwe';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { gateConfig } from '../../../sdk/protocol/gates.ts';
import { createChains } from '../../../server/chains/chains.ts';
import { checkSignature } from '../../../server/identity/signature.ts';
import { Gates } from '../../../signaling/gates/Gates.ts';
import { rpc } from '../../harness/services/gateContracts.ts';
import { deployWallet } from '../../harness/clients/testWallets.ts';
import { recordOrigins } from '../../harness/browser/recordOrigins.ts';
import {
  chainId,
  offered,
  pay,
  signPayment,
  startPaymentChain,
  type PaymentChain,
} from '../money/paymentSupport.ts';
import { startSpendingServer, type SpendingServer } from '../money/spendingServer.ts';
import { ask } from '../support.ts';

/* A contract that reverts with OffchainLookup (EIP-3668, CCIP-Read) names addresses to fetch. This server fetches none of them. */

let chain: PaymentChain;
let dataDir: string;
let server: SpendingServer;
let lookup: Address;
/** A service on this machine, and the requests it received. */
let internal: Server;
const requests: string[] = [];
let outgoing: ReturnType<typeof recordOrigins>;

beforeAll(async () => {
  internal = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"data":"0x2a"}');
  });
  internal.listen(0, '127.0.0.1');
  await once(internal, 'listening');
  chain = await startPaymentChain();
  lookup = await deployWallet(chain.anvil, 'LookupWallet', (internal.address() as AddressInfo).port);
  dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'));
  server = await startSpendingServer({ dataDir, settings: chain.settings });
});
beforeEach(() => {
  requests.length = 0;
  outgoing = recordOrigins();
});
afterEach(() => outgoing.stop());
afterAll(async () => {
  await server?.close();
  chain?.stop();
  internal?.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** Expects that only the chain was requested, apart from this test's own requests to the server. */
function expectOnlyTheChain(): void {
  expect(requests).toEqual([]);
  outgoing.origins.delete(new URL(server.url).origin);
  expect([...outgoing.origins]).toEqual([new URL(chain.anvil.url).origin]);
}

it('is followed by a client with default settings, which shows that the contract works', async () => {
  const client = createPublicClient({ transport: http(chain.anvil.url) });
  const abi = parseAbi(['function decimals() view returns (uint8)']);
  await client.readContract({ address: lookup, abi, functionName: 'decimals' }).catch(() => undefined);
  expect(requests).toHaveLength(1);
});

it('is not followed in a sign-in without credentials', async () => {
  const { body } = await ask(server.url, 'GET', '/api/v1/auth/nonce');
  const owner = privateKeyToAccount(generatePrivateKey());
  await rpc(chain.anvil, 'anvil_setCode', owner.address, concatHex(['0xef0100', lookup]));
  const message = createSiweMessage({
    address: owner.address,
    chainId,
    domain: new URL(server.url).host,
    nonce: String(body.nonce),
    uri: server.url,
    version: '1',
    issuedAt: new Date(),
  });
  const { r, s, yParity } = await owner.signAuthorization({ chainId, nonce: 0, contractAddress: lookup });
  const signature = serializeErc8010Signature({
    authorization: { address: lookup, chainId, nonce: 0, r, s, yParity: yParity as number },
    signature: toHex('not a signature', { size: 65 }),
  });
  const sent = { walletAddress: owner.address, message, signature };
  const answer = await ask(server.url, 'POST', '/api/v1/auth/verify', { body: sent });
  expect([answer.status, answer.body.error]).toEqual([401, 'invalid_token']);
  expectOnlyTheChain();
});

it('is not followed when a gate is created, inspected or checked', async () => {
  const gates = new Gates({
    chains: createChains({ CHAINS_MAINNET: [], CHAINS_TESTNET: [{ chainId, url: chain.anvil.url }] }),
    log: pino({ level: 'silent' }),
  });
  const wallet = privateKeyToAccount(generatePrivateKey()).address;
  const gate = gateConfig.parse({ type: 'token', chainId, contractAddress: lookup, minBalance: '1' });
  const refused = { code: 'VALIDATION_ERROR' };
  await expect(gates.verify(gate, 'testnet', wallet)).rejects.toMatchObject(refused);
  expect(await gates.inspect(chainId, lookup, 'testnet')).toMatchObject({ decimals: null, kinds: [] });
  await expect(gates.check(gate, wallet)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expectOnlyTheChain();
});

it('is not followed in a payment without credentials', async () => {
  const body = { units: 1, item: 'it' };
  const accepted = await offered(server.url, body);
  const payer = privateKeyToAccount(generatePrivateKey());
  await rpc(chain.anvil, 'anvil_setCode', payer.address, concatHex(['0xef0100', lookup]));
  const answer = await pay(server.url, body, await signPayment(payer, { accepted }));
  expect([answer.status, answer.body.reason]).toEqual([402, 'invalid_exact_evm_signature']);
  expectOnlyTheChain();
});

it('rejects a signature whose contract burns more gas than the limit', async () => {
  const owner = privateKeyToAccount(generatePrivateKey());
  const chains = createChains({ CHAINS_MAINNET: [], CHAINS_TESTNET: [{ chainId, url: chain.anvil.url }] });
  const verifySignature = async (burned: bigint) => {
    const walletAddress = await deployWallet(chain.anvil, 'BurningWallet', owner.address, burned);
    const signature = await owner.signMessage({ message: 'hello' });
    return checkSignature({ walletAddress, message: 'hello', signature, chainId }, chains);
  };
  await verifySignature(5_000_000n);
  await expect(verifySignature(12_000_000n)).rejects.toMatchObject({ code: 'AUTHENTICATION_REQUIRED' });
});
