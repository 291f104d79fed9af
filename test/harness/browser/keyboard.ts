import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { focused, tabTo } from './console.ts';

/* Actions by keyboard alone. */

/** Moves the focus to an element with Tab and presses a key. */
export async function press(page: Page, testId: string, key = 'Enter'): Promise<void> {
  await tabTo(page, testId);
  await page.keyboard.press(key);
}

/** Moves the focus to a field with Tab and types into it. */
export async function type(page: Page, testId: string, text: string): Promise<void> {
  await tabTo(page, testId);
  await page.keyboard.type(text);
}

/** Presses Tab, or Shift+Tab, until the focus is on this element or inside it. */
export async function tabInto(page: Page, element: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await element.waitFor();
  for (let pressed = 0; pressed < 50; pressed++) {
    if (await element.evaluate((one) => one.contains(document.activeElement))) return;
    await page.keyboard.press(key);
  }
  throw new Error(`50 presses of ${key} do not reach ${String(element)}.`);
}

/** Waits until an element of the page has the focus: on the body, the next Tab would start at the top. */
export const keepsFocus = (page: Page) =>
  expect.poll(() => page.evaluate(() => document.activeElement === document.body)).toBe(false);

/** Opens a menu, moves to an entry with the arrow keys and chooses it. */
export async function choose(page: Page, menu: string, entry: string): Promise<void> {
  await press(page, menu);
  await page.getByTestId(entry).waitFor();
  for (let pressed = 0; pressed < 20 && (await focused(page)) !== entry; pressed++)
    await page.keyboard.press('ArrowDown');
  expect(await focused(page)).toBe(entry);
  await page.keyboard.press('Enter');
}
