import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import type { PrivateKeyAccount } from 'viem';
import { launchChromium } from './browser.ts';
import { withWallet } from './console.ts';

interface VisitOptions extends BrowserContextOptions {
  /** In the browser there is a wallet of this account. */
  account?: Pick<PrivateKeyAccount, 'address' | 'signMessage'>;
  /** Makes the browser a particular one, before there is a page. */
  prepare?: (context: BrowserContext) => Promise<void>;
}

/** Everybody who opens the console in a test file, each in a browser of their own, and what their pages complain of. */
export class ConsoleVisitors {
  /** For pages of others, which open and close by themselves. */
  readonly browser: Browser;
  readonly #foreign: (address: string) => boolean;
  #contexts: BrowserContext[] = [];
  /** What pages logged as an error or warning, violations of the content security policy among it. */
  #complaints: string[] = [];
  #forgiven: string[] = [];

  /** @param foreign pages of others, with troubles of their own */
  static async launch(foreign: (address: string) => boolean = () => false): Promise<ConsoleVisitors> {
    return new ConsoleVisitors(await launchChromium(), foreign);
  }

  private constructor(browser: Browser, foreign: (address: string) => boolean) {
    this.browser = browser;
    this.#foreign = foreign;
  }

  /** Opens the console as somebody else. */
  async visit(url: string, { account, prepare, ...options }: VisitOptions = {}): Promise<Page> {
    const context = await this.browser.newContext({
      locale: 'en-US',
      permissions: ['clipboard-read', 'clipboard-write'],
      ...options,
    });
    this.#contexts.push(context);
    context.on('console', (message) => {
      const { url: from } = message.location();
      // Whether a wallet is the operator's, only the server knows: it refuses everybody else's question.
      if (this.#foreign(from) || from.includes('/api/v1/operator/')) return;
      if (['error', 'warning'].includes(message.type())) this.#complaints.push(`${message.text()} (${from})`);
    });
    context.on('weberror', (error) => this.#complaints.push(String(error.error())));
    await prepare?.(context);
    const page = await context.newPage();
    page.setDefaultTimeout(45_000);
    if (account) await withWallet(page, account);
    await page.goto(url);
    return page;
  }

  /** The browser logs a line of each refusal, sooner or later: those with this in it were meant. */
  forgive(text: string): void {
    this.#forgiven.push(text);
  }

  /** Everybody leaves. @returns what was complained of; it has to be nothing */
  async leave(): Promise<string[]> {
    await Promise.all(this.#contexts.map((context) => context.close()));
    const heard = this.#complaints.filter((line) => !this.#forgiven.some((text) => line.includes(text)));
    [this.#contexts, this.#complaints, this.#forgiven] = [[], [], []];
    return heard;
  }

  close(): Promise<void> {
    return this.browser.close();
  }
}
