import { describe, expect, it } from 'vitest';
import { clipboardOf, fits, goTo, screens } from '../harness/browser/console.ts';
import { buyNumber, phoneConsole } from '../harness/browser/consolePhone.ts';

/* eSIMs and look-ups in the console. */

const { newcomer } = phoneConsole();

describe('an eSIM', () => {
  it('can be bought at the displayed price; its QR code and activation code stay available', async () => {
    const page = await newcomer('/esims');
    await page.getByTestId('esim-country').selectOption('JP');
    const offer = page.locator('[data-testid=esim-package][data-package=jp-3gb]');
    await page.locator('[data-package=eu-1gb]').waitFor({ state: 'detached' });
    await offer.getByTestId('esim-buy').click();
    await page.getByTestId('esim-quantity').fill('2');
    await page.locator('[data-testid=price][data-credits="1700"]').waitFor();
    await page.getByText('You have 3,000; 1,300 left after this.').waitFor();
    await page.getByTestId('esim-submit').click();
    const qrCode = page.getByTestId('esim-qr').first();
    await qrCode.waitFor();
    await page.waitForFunction(() => {
      const images = [...document.querySelectorAll<HTMLImageElement>('[data-testid=esim-qr]')];
      return images.length === 2 && images.every(({ naturalWidth }) => naturalWidth > 100);
    });
    const code = await page.getByTestId('activation-code').first().textContent();
    expect(code).toMatch(/^LPA:1\$/);
    await page.getByTestId('activation-code-copy').first().click();
    await expect.poll(() => clipboardOf(page)).toBe(code);
    await page.getByTestId('esim-done').click();
    await page.reload();
    await page.locator('[data-testid=esim-order][data-package=jp-3gb][data-status=completed]').waitFor();
    await page.getByTestId('esim-show').click();
    await expect.poll(() => page.getByTestId('activation-code').first().textContent()).toBe(code);
  });

  it('that is sold out cannot be bought', async () => {
    const page = await newcomer('/esims');
    const soldOut = page.locator('[data-testid=esim-package][data-package=aq-1gb]');
    await soldOut.getByText('sold out').waitFor();
    await expect.poll(() => soldOut.getByTestId('esim-buy').isDisabled()).toBe(true);
  });
});

it('looks up a number, searches for leaks, and verifies a phone number', async () => {
  const page = await newcomer();
  const number = await buyNumber(page);
  await goTo(page, 'look-ups');
  await page.getByTestId('lookup-number').fill('+44 20 7946 0100');
  await page.getByTestId('lookup-submit').click();
  await page.locator('[data-testid=lookup-answer][data-valid=true]').waitFor();
  await expect.poll(() => page.getByTestId('lookup-answer').textContent()).toContain('United Kingdom');
  await page.getByTestId('leak-query').fill('ada@example.org');
  await page.getByTestId('leak-submit').click();
  await page.locator('[data-testid=leak-answer][data-found=false]').waitFor();
  await page.getByTestId('leak-query').fill('another question');
  await page.getByTestId('leak-answer').getByText('ada@example.org: not found in any known breach').waitFor();
  await page.getByTestId('verify-to').fill(number);
  await page.getByTestId('verify-submit').click();
  await page.getByTestId('verify-code').fill('0000');
  await page.getByTestId('check-submit').click();
  await page.locator('[data-testid=verify-answer][data-valid=false]').waitFor();
});

it.each(screens)('fits eSIMs and look-ups on %s', async (_screen, options) => {
  const page = await newcomer('/esims', options);
  await fits(page, 'esim-packages');
  await page.getByTestId('esim-buy').first().click();
  await fits(page, 'esim-submit');
  await page.getByTestId('esim-submit').click();
  await fits(page, 'esim-bought');
  await page.getByTestId('esim-done').click();
  await goTo(page, 'look-ups');
  await fits(page, 'verify-submit');
});
