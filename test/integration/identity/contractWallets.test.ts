import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { Address, Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { createSiweMessage } from 'viem/siwe';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startAnvil, type Anvil } from '../../harness/anvil.ts';
import { ServerProcess } from '../../harness/ServerProcess.ts';
import { deployWallet, WalletFactory } from '../../harness/testWallets.ts';

/** A chain of our own in the test network, one whose RPC is another chain's, one whose RPC never answers, one that refuses. */
const [ours, lying, stalled, refusing] = [31337, 31338, 31339, 31340];

let anvil: Anvil;
let server: ServerProcess;
const silence = createServer();

beforeAll(async () => {
  anvil = await startAnvil(ours);
  await new Promise<void>((resolve) => silence.listen(0, '127.0.0.1', resolve));
  const stalledUrl = `http://127.0.0.1:${(silence.address() as AddressInfo).port}`;
  server = await ServerProcess.start({
    CHAINS_TESTNET: `${ours}=${anvil.url},${lying}=${anvil.url},${stalled}=${stalledUrl},${refusing}=http://127.0.0.1:9`,
  });
});

afterAll(async () => {
  await server?.dispose();
  anvil?.stop();
  silence.close();
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

describe('contract wallets sign in', () => {
  const owner = privateKeyToAccount(generatePrivateKey());
  const stranger = privateKeyToAccount(generatePrivateKey());

  it('with ERC-1271, once deployed', async () => {
    const wallet = await deployWallet(anvil, 'TestWallet', owner.address);
    const message = await messageFor(wallet, ours);
    const answer = await verify(wallet, message, await owner.signMessage({ message }));
    expect(answer).toMatchObject({
      status: 200,
      body: {
        walletAddress: wallet,
        walletId: `eip155:${ours}:${wallet}`,
        network: 'testnet',
        chainId: ours,
      },
    });
    const refused = await messageFor(wallet, ours);
    expect(await verify(wallet, refused, await stranger.signMessage({ message: refused }))).toMatchObject({
      status: 401,
      body: { error: 'invalid_token' },
    });
  });

  it('with ERC-6492, before they are deployed', async () => {
    const factory = new WalletFactory(await deployWallet(anvil, 'TestWalletFactory'));
    const wallet = factory.walletOf(owner.address);
    const message = await messageFor(wallet, ours);
    expect(await verify(wallet, message, await factory.signUndeployed(owner, message))).toMatchObject({
      status: 200,
    });
    expect(await anvil.client.getCode({ address: wallet })).toBeUndefined();
    const refused = await messageFor(wallet, ours);
    const deployment = await factory.signUndeployed(owner, 'another message');
    expect(await verify(wallet, refused, deployment)).toMatchObject({ status: 401 });
    expect(await verify(wallet, refused, await factory.signUndeployed(stranger, refused))).toMatchObject({
      status: 401,
    });
  });

  it.each([
    ['another chain’s', lying],
    ['silent', stalled],
    ['not there', refusing],
    ['not configured, for a signature no ordinary key makes', 1],
  ])('not while the RPC is %s: that is 503, never a pass', async (_what, chainId) => {
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

  it('while ordinary keys never wait for a chain', async () => {
    const message = await messageFor(owner.address, stalled);
    const answer = await verify(owner.address, message, await owner.signMessage({ message }));
    const { address } = owner;
    expect(answer).toMatchObject({ status: 200, body: { walletAddress: address, walletId: address } });
  });

  it('and a chain nobody configured is refused', async () => {
    const message = await messageFor(owner.address, 999);
    expect(await verify(owner.address, message, await owner.signMessage({ message }))).toMatchObject({
      status: 401,
    });
  });
});
