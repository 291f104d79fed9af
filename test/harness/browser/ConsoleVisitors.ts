import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { launchChromium } from './browser.ts';
import { withWallet, type WalletAccount } from './console.ts';

interface VisitOptions extends BrowserContextOptions {
  /** The account in the wallet extension of the browser. Without it, the browser has no such extension. */
  account?: WalletAccount;
  /** Configures the browser context before its first page opens. */
  prepare?: (context: BrowserContext) => Promise<void>;
  /** Opens the console in the whole Chromium: see launchChromium(). @default false */
  whole?: boolean;
}

/** The console's visitors in a test file, each with a separate browser context, and the errors that their pages log. */
export class ConsoleVisitors {
  /** For pages that a test opens and closes itself. */
  readonly browser: Browser;
  #whole: Promise<Browser> | null = null;
  readonly #foreign: (address: string) => boolean;
  #contexts: BrowserContext[] = [];
  /** Errors and warnings that pages logged, including violations of the content security policy. */
  #errors: string[] = [];
  #allowed: string[] = [];

  /** @param foreign whether an address belongs to another site, whose errors are ignored */
  static async launch(foreign: (address: string) => boolean = () => false): Promise<ConsoleVisitors> {
    return new ConsoleVisitors(await launchChromium(), foreign);
  }

  private constructor(browser: Browser, foreign: (address: string) => boolean) {
    this.browser = browser;
    this.#foreign = foreign;
  }

  /** Opens the console in a new browser context. */
  async visit(
    url: string,
    { account, prepare, whole = false, ...options }: VisitOptions = {},
  ): Promise<Page> {
    const browser = whole ? await (this.#whole ??= launchChromium({ whole })) : this.browser;
    const context = await browser.newContext({
      locale: 'en-US',
      permissions: ['clipboard-read', 'clipboard-write'],
      ...options,
    });
    this.#contexts.push(context);
    context.on('console', (message) => {
      const { url: from } = message.location();
      // The console asks the server whether its wallet is an operator's. The refusal for any other wallet is not an error.
      if (this.#foreign(from) || from.includes('/api/v1/operator/')) return;
      if (['error', 'warning'].includes(message.type())) this.#errors.push(`${message.text()} (${from})`);
    });
    context.on('weberror', (error) => this.#errors.push(String(error.error())));
    await prepare?.(context);
    const page = await context.newPage();
    page.setDefaultTimeout(45_000);
    if (account) await withWallet(page, account);
    await page.goto(url);
    return page;
  }

  /** Ignores logged lines that contain this text. The browser logs every refused request, though not always at once. */
  allowError(text: string): void {
    this.#allowed.push(text);
  }

  /** Ignores what the browser logs about requests that a killed server has cut, and about those that are refused until it is back. */
  allowServerDown(): void {
    const cut = ['net::ERR_CONNECTION_RESET', 'net::ERR_EMPTY_RESPONSE'];
    this.#allowed.push(...cut, 'net::ERR_CONNECTION_REFUSED', 'WebSocket', '503');
  }

  /** Closes all contexts. @returns the errors and warnings that were logged; tests expect none */
  async closeAll(): Promise<string[]> {
    await Promise.all(this.#contexts.map((context) => context.close()));
    const errors = this.#errors.filter((line) => !this.#allowed.some((text) => line.includes(text)));
    [this.#contexts, this.#errors, this.#allowed] = [[], [], []];
    return errors;
  }

  async close(): Promise<void> {
    await Promise.all([this.browser.close(), (await this.#whole)?.close()]);
  }
}
