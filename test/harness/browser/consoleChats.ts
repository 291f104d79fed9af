import type { Page } from 'playwright-core';
import { goTo, tryOut } from './console.ts';
import type { ConsoleVisitors } from './ConsoleVisitors.ts';

/* Actions on the console's chat and voicemail pages. */

export interface Person {
  page: Page;
  address: string;
}

/** Opens the console with a new trial wallet. */
export async function newcomer(
  visitors: ConsoleVisitors,
  url: string,
  options: Parameters<ConsoleVisitors['visit']>[1] = {},
): Promise<Person> {
  const page = await visitors.visit(url, options);
  return { page, address: await tryOut(page) };
}

/** Starts a chat with an address. */
export async function openChat({ page }: Person, { address }: Person): Promise<void> {
  await goTo(page, 'chats');
  await page.getByTestId('new-chat').click();
  await page.getByTestId('peer').fill(address);
  await page.getByTestId('open-chat').click();
  await page.locator(`[data-testid=chat-with][data-peer="${address}"]`).waitFor();
}

export async function say({ page }: Person, text: string): Promise<void> {
  await page.getByTestId('compose').fill(text);
  await page.getByTestId('compose').press('Enter');
}

export const messageOf = ({ page }: Person, text: string) =>
  page.getByTestId('message').filter({ has: page.getByText(text, { exact: true }) });

/** Waits until a message has this status. */
export const waitForStatus = ({ page }: Person, text: string, status: string) =>
  page
    .locator(`[data-testid=message][data-status=${status}]`)
    .filter({ has: page.getByText(text, { exact: true }) })
    .waitFor();

export const chatWith = ({ page }: Person, { address }: Pick<Person, 'address'>) =>
  page.locator(`[data-testid=chat][data-peer="${address}"]`);

/** Opens the menu of a message. */
export async function actOn(person: Person, text: string): Promise<void> {
  const row = messageOf(person, text).locator('..');
  await row.hover();
  await row.getByTestId('message-actions').click();
}
