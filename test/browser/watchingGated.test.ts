import type { Page } from 'playwright-core';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { startAnvil, type Anvil } from '../harness/services/anvil.ts';
import { goTo, waitForVideo } from '../harness/browser/console.ts';
import { newcomer } from '../harness/browser/consoleChats.ts';
import { withSmallCamera } from '../harness/browser/consoleRooms.ts';
import { goLive, playsByHls, withoutWebrtc } from '../harness/browser/consoleStreams.ts';
import { ConsoleVisitors } from '../harness/browser/ConsoleVisitors.ts';
import { deployGateContract, sendAs, type Deployed } from '../harness/services/gateContracts.ts';
import { oneNode, type OneNode } from '../harness/nodes/Harness.ts';

/* A gated stream on the watch page. */

const chainId = 31_337;
let anvil: Anvil;
let nft: Deployed;
let harness: OneNode;
let visitors: ConsoleVisitors;

beforeAll(async () => {
  anvil = await startAnvil(chainId);
  nft = await deployGateContract(anvil, 'GateNft');
  [harness, visitors] = await Promise.all([
    oneNode({ CHAINS_MAINNET: `${chainId}=${anvil.url}`, GATE_RECHECK_SECONDS: '2' }),
    ConsoleVisitors.launch(),
  ]);
});

afterAll(async () => {
  await visitors?.close();
  await harness?.close();
  anvil?.stop();
});

afterEach(async () => expect(await visitors.closeAll()).toEqual([]));

const come = (options = {}) => newcomer(visitors, harness.url(), options);

/** Creates and starts a gated stream on the host's page. @returns the URL of the stream */
async function liveForHolders(page: Page): Promise<string> {
  await goTo(page, 'streams');
  await page.getByTestId('new-stream').click();
  await page.getByTestId('stream-title').fill('Holders’ night');
  await page.locator('[data-testid=stream-gated]:not(:disabled)').click({ force: true });
  await page.getByTestId('condition-contract').fill(nft.address);
  await page.getByTestId('contract-facts').getByText('Gate NFT (GATE)').waitFor();
  await page.getByTestId('create-stream').click();
  await page.getByTestId('studio').waitFor();
  await goLive(page);
  const id = await page.getByTestId('studio').getAttribute('data-stream');
  return `${harness.url()}/watch/${id}`;
}

it('shows the requirement, plays for holders by WebRTC and HLS, and stops for a wallet that sold its token', async () => {
  const host = await come({ prepare: withSmallCamera });
  const url = await liveForHolders(host.page);

  // The visitor first has no wallet, then one that holds no token.
  const account = privateKeyToAccount(generatePrivateKey());
  const { address } = account;
  const page = await visitors.visit(url, { account });
  await page.getByTestId('refused').getByText('This stream is for token holders').waitFor();
  await page.getByTestId('connect-wallet').click();
  await page.locator('[data-testid=gate-check][data-allowed=false]').waitFor();
  await page
    .getByTestId('requirement-missing')
    .getByText('Hold at least 1 NFT of “Gate NFT (GATE)”')
    .waitFor();
  await expect.poll(() => page.getByTestId('watch-video').count()).toBe(0);

  await nft.send('mint', address, 1n);
  // A negative result is cached for five seconds.
  await expect
    .poll(
      async () => {
        const again = page.getByTestId('check-again');
        if (await again.isVisible()) await again.click();
        return page.getByTestId('watch').getAttribute('data-phase');
      },
      { interval: 500 },
    )
    .toBe('open');
  await waitForVideo(page, 'watch-video');
  await page.locator('[data-testid=watch][data-way=webrtc]').waitFor();
  await page.getByTestId('viewer-count').getByText('1 viewer').waitFor();

  const holder = await come({ prepare: withoutWebrtc });
  await nft.send('mint', holder.address, 2n);
  const tokenRequest = holder.page.waitForRequest((request) => request.url().includes('index.m3u8?token='));
  await holder.page.goto(url);
  await playsByHls(holder.page);
  await tokenRequest;

  const contract = { name: 'GateNft', address: nft.address };
  await sendAs(anvil, address, contract, 'transferFrom', address, anvil.funded.account.address, 1n);
  await page.getByTestId('refused').getByText('You no longer meet').waitFor();
  await playsByHls(holder.page);
});
