import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { fits, goTo } from '../harness/browser/console.ts';
import { newcomer } from '../harness/browser/consoleChats.ts';
import { inWaitingRoom, join, withSmallCamera } from '../harness/browser/consoleRooms.ts';
import { ConsoleVisitors } from '../harness/browser/ConsoleVisitors.ts';
import { press, tabInto, type } from '../harness/browser/keyboard.ts';
import { ServerProcess } from '../harness/nodes/ServerProcess.ts';

/* Gates that can be tried: the console of a server that was started with --demo-chain. */

let server: ServerProcess;
let visitors: ConsoleVisitors;

beforeAll(async () => {
  [server, visitors] = await Promise.all([
    ServerProcess.start({}, ['--demo-chain']),
    ConsoleVisitors.launch(),
  ]);
});

afterAll(async () => {
  await visitors?.close();
  await server?.dispose();
});

afterEach(async () => expect(await visitors.closeAll()).toEqual([]));

const come = () => newcomer(visitors, server.url, { prepare: withSmallCamera });

it('builds a gate with the demo NFT, refuses a wallet without it, and gives it one', async () => {
  const ada = await come();
  const { page } = ada;
  await goTo(page, 'rooms');
  await page.getByTestId('new-room').click();
  await page.getByTestId('room-name').fill('Holders');
  await page.locator('[data-testid=room-gated]:not(:disabled)').click({ force: true });
  await page.getByTestId('gate-example').getByText('Test Dollar').click();
  await page.getByTestId('contract-facts').getByText('Test Dollar (TUSD)').waitFor();
  await page.getByTestId('gate-example').getByText('Demo NFT').click();
  await page.getByTestId('contract-facts').getByText('Demo NFT (DEMO)').waitFor();
  await page.locator('[data-testid=condition][data-kind=nft]').waitFor();
  await fits(page, 'gate-example');
  await page.getByTestId('create-room').click();
  const roomId = await inWaitingRoom(page);

  const ben = await come();
  await ben.page.goto(`${server.url}/rooms/${roomId}`);
  await ben.page.locator('[data-testid=gate-check][data-allowed=false]').waitFor();
  await ben.page.locator('[data-testid=join-room]:disabled').waitFor();
  await ben.page.getByTestId('get-example').getByText('Get Demo NFT').click();
  await ben.page.locator('[data-testid=gate-check][data-allowed=true]').waitFor();
  await join(ben.page, 'Ben');
  await ben.page.getByTestId('in-room').waitFor();

  // The page for frames signs in to the network of the gate, too.
  const framed = await visitors.visit(`${server.url}/embed/room/${roomId}`);
  await framed.getByTestId('sign-in-as-guest').click();
  await framed.locator('[data-testid=gate-check][data-allowed=false]').waitFor();
});

it('builds a gate of two conditions by keyboard alone', async () => {
  const { page } = await come();
  await press(page, 'to-rooms');
  await press(page, 'new-room');
  await type(page, 'room-name', 'Holders');
  await page.locator('[data-testid=room-gated]:not(:disabled)').waitFor();
  await press(page, 'room-gated', 'Space');
  await press(page, 'add-condition');
  // The second condition: a coin, which needs no contract.
  await tabInto(page, page.getByTestId('condition-kind').nth(1), 'Shift+Tab');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.locator('[data-testid=condition][data-kind=coin]').waitFor();
  await tabInto(page, page.getByTestId('gate-operator'), 'Shift+Tab');
  await page.keyboard.press('ArrowRight');
  await page.getByTestId('gate-operator').getByRole('radio', { name: 'Any', checked: true }).waitFor();
  await press(page, 'gate-example');
  await page.getByTestId('contract-facts').waitFor();
  await press(page, 'create-room');
  await inWaitingRoom(page);
});
