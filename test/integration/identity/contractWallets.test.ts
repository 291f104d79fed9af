import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { Address, Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { createSiweMessage } from 'viem/siwe';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startAnvil, type Anvil } from '../../harness/services/anvil.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { deployWallet, WalletFactory } from '../../harness/clients/testWallets.ts';

/** Chains of the test network: one works, one has the RPC URL of another chain, one never answers, and one refuses connections. */
const [working, mismatched, silent, unreachable] = [31337, 31338, 31339, 31340];

let anvil: Anvil;
let server: ServerProcess;
const silentServer = createServer();

beforeAll(async () => {
  anvil = await startAnvil(working);
  await new Promise<void>((resolve) => silentServer.listen(0, '127.0.0.1', resolve));
  const silentUrl = `http://127.0.0.1:${(silentServer.address() as AddressInfo).port}`;
  server = await ServerProcess.start({
    CHAINS_TESTNET: `${working}=${anvil.url},${mismatched}=${anvil.url},${silent}=${silentUrl},${unreachable}=http://127.0.0.1:9`,
  });
});

afterAll(async () => {
  await server?.dispose();
  anvil?.stop();
  silentServer.close();
});

async function messageFor(address: Address, chainId: number): Promise<string> {
  const { nonce } = (await (await fetch(`${server.url}/api/v1/auth/nonce`)).json()) as { nonce: string };
  const uri = server.url;
  return createSiweMessage({
    address,
    chainId,
    domain: new URL(uri).host,
    nonce,
    uri,
    version: '1',
    issuedAt: new Date(),
  });
}

async function verify(walletAddress: Address, message: string, signature: Hex) {
  const started = performance.now();
  const response = await fetch(`${server.url}/api/v1/auth/verify`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ walletAddress, message, signature }),
  });
  return {
    status: response.status,
    body: (await response.json()) as Record<string, unknown>,
    ms: performance.now() - started,
  };
}

describe('a sign-in', () => {
  const owner = privateKeyToAccount(generatePrivateKey());
  const stranger = privateKeyToAccount(generatePrivateKey());

  it('accepts a deployed contract wallet by ERC-1271', async () => {
    const wallet = await deployWallet(anvil, 'TestWallet', owner.address);
    const message = await messageFor(wallet, working);
    const answer = await verify(wallet, message, await owner.signMessage({ message }));
    expect(answer).toMatchObject({
      status: 200,
      body: {
        walletAddress: wallet,
        walletId: `eip155:${working}:${wallet}`,
        network: 'testnet',
        chainId: working,
      },
    });
    const refused = await messageFor(wallet, working);
    expect(await verify(wallet, refused, await stranger.signMessage({ message: refused }))).toMatchObject({
      status: 401,
      body: { error: 'invalid_token' },
    });
  });

  it('accepts a contract wallet before its deployment by ERC-6492', async () => {
    const factory = new WalletFactory(await deployWallet(anvil, 'TestWalletFactory'));
    const wallet = factory.walletOf(owner.address);
    const message = await messageFor(wallet, working);
    expect(await verify(wallet, message, await factory.signUndeployed(owner, message))).toMatchObject({
      status: 200,
    });
    expect(await anvil.client.getCode({ address: wallet })).toBeUndefined();
    const refused = await messageFor(wallet, working);
    const deployment = await factory.signUndeployed(owner, 'another message');
    expect(await verify(wallet, refused, deployment)).toMatchObject({ status: 401 });
    expect(await verify(wallet, refused, await factory.signUndeployed(stranger, refused))).toMatchObject({
      status: 401,
    });
  });

  it.each([
    ['one of another chain', mismatched],
    ['silent', silent],
    ['unreachable', unreachable],
    ['not configured, and the signature is not one of a key', 1],
  ])('answers 503 when the RPC is %s', async (_name, chainId) => {
    const wallet = await deployWallet(anvil, 'TestWallet', owner.address);
    const message = await messageFor(wallet, chainId);
    const signature =
      chainId === 1 ? (`0x${'ab'.repeat(200)}` as const) : await owner.signMessage({ message });
    expect(await verify(wallet, message, signature)).toMatchObject({
      status: 503,
      body: { error: 'service_unavailable' },
    });
    expect(server.log).not.toContain(message);
  });

  it('does not wait for a chain with an ordinary key', async () => {
    const message = await messageFor(owner.address, silent);
    const answer = await verify(owner.address, message, await owner.signMessage({ message }));
    const { address } = owner;
    expect(answer).toMatchObject({ status: 200, body: { walletAddress: address, walletId: address } });
  });

  it('rejects a chain that is not configured', async () => {
    const message = await messageFor(owner.address, 999);
    expect(await verify(owner.address, message, await owner.signMessage({ message }))).toMatchObject({
      status: 401,
    });
  });
});
