import type { BrowserContext } from 'playwright-core';
import type { Address } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { Parley } from '../../sdk/src/index.ts';
import { startAnvil, type Anvil } from '../harness/services/anvil.ts';
import { fits, goTo } from '../harness/browser/console.ts';
import { newcomer } from '../harness/browser/consoleChats.ts';
import { inWaitingRoom, join, withSmallCamera } from '../harness/browser/consoleRooms.ts';
import { ConsoleVisitors } from '../harness/browser/ConsoleVisitors.ts';
import { deployGateContract, sendAs, type Deployed } from '../harness/services/gateContracts.ts';
import { oneNode, type OneNode } from '../harness/nodes/Harness.ts';

/* Gated rooms in the console: the gate editor and the checks in the lobby and in the room. */

const chainId = 31_337;
const testChainId = 31_338;
let anvil: Anvil;
let testAnvil: Anvil;
let nft: Deployed;
let votes: Deployed;
let harness: OneNode;
let visitors: ConsoleVisitors;

beforeAll(async () => {
  [anvil, testAnvil] = await Promise.all([startAnvil(chainId), startAnvil(testChainId)]);
  // One account sends both transactions, so they run one after another.
  nft = await deployGateContract(anvil, 'GateNft');
  votes = await deployGateContract(anvil, 'GateVotes');
  [harness, visitors] = await Promise.all([
    oneNode({
      CHAINS_MAINNET: `${chainId}=${anvil.url}`,
      CHAINS_TESTNET: `${testChainId}=${testAnvil.url}`,
      GATE_RECHECK_SECONDS: '2',
    }),
    ConsoleVisitors.launch(),
  ]);
});

afterAll(async () => {
  await visitors?.close();
  await harness?.close();
  [anvil, testAnvil].forEach((each) => each?.stop());
});

afterEach(async () => expect(await visitors.closeAll()).toEqual([]));

const come = () => newcomer(visitors, harness.url(), { prepare: withSmallCamera });

it('builds a gate from contract data, admits only holders, and removes a participant who sold the token', async () => {
  const ada = await come();
  const { page } = ada;
  await goTo(page, 'rooms');
  await page.getByTestId('new-room').click();
  await page.getByTestId('room-name').fill('Holders');
  await page.locator('[data-testid=room-gated]:not(:disabled)').click({ force: true });
  const contract = page.getByTestId('condition-contract');
  await contract.fill('0x000000000000000000000000000000000000dEaD');
  await page.getByText('There is no contract at this address').waitFor();
  await page.getByTestId('create-room').click();
  await contract.fill(nft.address);
  await page.getByTestId('contract-facts').getByText('Gate NFT (GATE)').waitFor();
  // The second of two alternatives is in a nested group.
  await page.getByTestId('add-group').click();
  const group = page.getByTestId('gate-group').nth(1);
  await group.getByTestId('condition-contract').fill(votes.address);
  await group
    .getByTestId('contract-facts')
    .getByText('Gate votes (VOTE) · token · votes · 18 decimals')
    .waitFor();
  await page.locator('[data-testid=condition][data-kind=token]').waitFor();
  await group.getByTestId('condition-amount').fill('2.5');
  await page.getByTestId('gate-operator').getByText('Any of these').click();
  await fits(page, 'gate-operator');
  await page.getByTestId('create-room').click();
  const roomId = await inWaitingRoom(page);
  expect((await harness.client().then(({ parley }) => parley.conference.get(roomId))).gate).toEqual({
    type: 'multi',
    operator: 'or',
    conditions: [
      { type: 'nft', chainId, contractAddress: nft.address, standard: 'erc721', minBalance: '1' },
      {
        type: 'token',
        chainId,
        contractAddress: votes.address,
        minBalance: '2500000000000000000',
        decimals: 18,
      },
    ],
  });
  await join(page, 'Ada');

  const ben = await come();
  await ben.page.goto(`${harness.url()}/rooms/${roomId}`);
  await ben.page.locator('[data-testid=gate-check][data-allowed=false]').waitFor();
  const missing = ben.page.getByTestId('requirement-missing');
  await missing.getByText('Hold at least 1 NFT of “Gate NFT (GATE)” on Local chain').waitFor();
  await missing.getByText('Hold at least 2.5 of the token “Gate votes (VOTE)” on Local chain').waitFor();
  await ben.page.locator('[data-testid=join-room]:disabled').waitFor();

  await nft.send('mint', ben.address, 1n);
  // A negative result is cached for five seconds.
  await expect
    .poll(
      async () => {
        const again = ben.page.getByTestId('check-again');
        // The button may disappear during the click.
        if (await again.isVisible()) await again.click({ timeout: 1_000 }).catch(() => undefined);
        return ben.page.getByTestId('gate-check').getAttribute('data-allowed');
      },
      { interval: 500 },
    )
    .toBe('true');
  await ben.page.getByTestId('requirement-met').waitFor();
  await join(ben.page, 'Ben');
  await page.getByTestId('tile').nth(1).waitFor();

  const buyer: Address = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
  const [name, address] = ['GateNft', nft.address];
  await sendAs(anvil, ben.address as Address, { name, address }, 'transferFrom', ben.address, buyer, 1n);
  await ben.page.locator('[data-testid=departed][data-departure=access_lost]').waitFor();
  await ben.page.getByTestId('requirement-missing').first().waitFor();
  await page.getByTestId('tile').nth(1).waitFor({ state: 'detached' });
});

it('makes no room without its gate when the user changes the gate after an error and tries again', async () => {
  let wanted = 0;
  const error = { code: 'SERVICE_UNAVAILABLE', message: 'The chain does not answer.', requestId: 'req_1' };
  const prepare = async (context: BrowserContext) => {
    await withSmallCamera(context);
    await context.routeWebSocket(/socket\.io/, (socket) => {
      const server = socket.connectToServer();
      socket.onMessage((message) => {
        const [, id] = /^42(\d+)\["gatedRooms\.create"/.exec(String(message)) ?? [];
        if (id === undefined || ++wanted > 1) return server.send(message);
        socket.send(`43${id}[${JSON.stringify({ ok: false, error })}]`);
      });
    });
  };
  const { page } = await newcomer(visitors, harness.url(), { prepare });
  await goTo(page, 'rooms');
  await page.getByTestId('new-room').click();
  await page.getByTestId('room-name').fill('Holders');
  await page.locator('[data-testid=room-gated]:not(:disabled)').click({ force: true });
  const contract = page.getByTestId('condition-contract');
  await contract.fill(nft.address);
  await page.getByTestId('contract-facts').waitFor();
  await page.getByTestId('create-room').click();
  const again = page.getByTestId('problem').getByRole('button', { name: 'Try again' });
  await again.waitFor();
  await contract.fill('');
  await again.click();
  await page.getByTestId('condition-problem').waitFor();
  await contract.fill(nft.address);
  await page.getByTestId('contract-facts').waitFor();
  await again.click();
  const roomId = await inWaitingRoom(page);
  const { parley } = await harness.client();
  expect((await parley.conference.get(roomId)).gate).toMatchObject({ contractAddress: nft.address });
  expect(wanted).toBe(2);
});

it('shows in the lobby that a room is on another network', async () => {
  const host = new Parley({ apiKey: '', baseUrl: harness.url(), network: 'testnet' });
  await host.signIn(privateKeyToAccount(generatePrivateKey()));
  const gate = { type: 'token', chainId: testChainId, contractAddress: null, minBalance: '1' } as const;
  const room = await host.gatedRooms.create({
    name: 'Other network',
    maxParticipants: 5,
    gateType: gate.type,
    gate,
  });
  host.close();
  const { page } = await come();
  await page.goto(`${harness.url()}/rooms/${room.id}`);
  await page.locator('[data-testid=problem]').getByText('This room is on another network').waitFor();
  await page.locator('[data-testid=join-room]:disabled').waitFor();
  // The page does not keep loading.
  await page.getByLabel('Loading the requirements of this room').waitFor({ state: 'detached' });
});
