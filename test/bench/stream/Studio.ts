import type { Browser } from 'playwright-core';
import type { LiveStream } from '../../../sdk/src/index.ts';
import { launchChromium, newContext, openClient, type BrowserClient } from '../../harness/browser/browser.ts';
import { until } from '../../harness/until.ts';
import type { Page } from 'playwright-core';
import { clockAsCamera } from './clock.ts';

const liveLimitMs = 60_000;

/** A page that publishes a video of a clock through the SDK, and the browser for the pages that watch the stream. */
export class Studio {
  readonly browser: Browser;
  readonly stream: LiveStream;
  readonly #url: string;

  static async open(url: string): Promise<Studio> {
    const browser = await launchChromium();
    try {
      const host = await openClient(browser, url);
      await host.page.evaluate(clockAsCamera);
      const stream = await host.page.evaluate(async () => {
        const created = await window.parley.streaming.create({ title: 'Bench' });
        await window.parley.streaming.start({ streamId: created.id, quality: '720p' });
        return created;
      });
      const isSending = () =>
        host.page.evaluate(async (id) => (await window.parley.streaming.get(id)).isSending, stream.id);
      await until(isSending, 'the stream is live', liveLimitMs);
      return new Studio(browser, stream, url);
    } catch (error) {
      await browser.close();
      throw error;
    }
  }

  private constructor(browser: Browser, stream: LiveStream, url: string) {
    this.browser = browser;
    this.stream = stream;
    this.#url = url;
  }

  /** Opens a page with a signed-in client. */
  client(): Promise<BrowserClient> {
    return openClient(this.browser, this.#url);
  }

  /** Opens a page without a client. */
  async page(): Promise<Page> {
    const page = await (await newContext(this.browser)).newPage();
    await page.goto(`${this.#url}/healthz`);
    return page;
  }

  close(): Promise<void> {
    return this.browser.close();
  }
}
