import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchChromium, newContext } from '../harness/browser/browser.ts';
import { ServerProcess } from '../harness/nodes/ServerProcess.ts';

/* The SDK's errors in a browser when the app's origin is missing from ALLOWED_ORIGINS or its URL of the server is wrong. */

let development: ServerProcess;
let production: ServerProcess;
let app: Server;
let browser: Browser;
let origin: string;

beforeAll(async () => {
  app = createServer((_request, response) =>
    response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>app</title>'),
  );
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(app.address() as AddressInfo).port}`;
  [development, production, browser] = await Promise.all([
    ServerProcess.start(),
    ServerProcess.start(({ port }) => ({
      NODE_ENV: 'production',
      SECRET_KEY: '9f86d081884c7d659a2feaa0c55ad015',
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      ALLOWED_ORIGINS: 'null',
    })),
    launchChromium(),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([development?.dispose(), production?.dispose()]);
  app?.close();
});

async function appPage(): Promise<Page> {
  const page = await (await newContext(browser)).newPage();
  const account = privateKeyToAccount(generatePrivateKey());
  await page.exposeFunction('signWithTestKey', (message: string) => account.signMessage({ message }));
  await page.exposeFunction('ownAddress', () => account.address);
  await page.goto(origin);
  return page;
}

const start = (page: Page, sdkFrom: string, baseUrl: string, options: object = {}) =>
  page.evaluate(`(async () => {
    const { Parley } = await import('${sdkFrom}/sdk/parley.js');
    const client = new Parley({ apiKey: '', baseUrl: '${baseUrl}', ...${JSON.stringify(options)} });
    const address = await window.ownAddress();
    const signMessage = ({ message }) => window.signWithTestKey(message);
    try {
      if (${JSON.stringify(options)}.sessionToken) await client.messages.getConversations();
      else await client.signIn({ address, signMessage });
      return { state: client.state };
    } catch ({ code, message }) {
      return { code, message, state: client.state };
    }
  })()`);

it('signs in from another port of localhost without any setting', async () => {
  const page = await appPage();
  expect(await start(page, development.url, development.url)).toEqual({ state: 'connected' });
});

it('reports the refused origin and the setting to change', async () => {
  const page = await appPage();
  const refused = {
    code: 'ACCESS_DENIED',
    message: `The server at ${production.url} does not allow pages from ${origin}. Add ${origin} to its ALLOWED_ORIGINS setting.`,
  };
  expect(await start(page, production.url, production.url)).toMatchObject(refused);
  // The same applies to a WebSocket connection without a preceding HTTP request.
  expect(await start(page, production.url, production.url, { sessionToken: 'x' })).toEqual({
    ...refused,
    state: 'closed',
  });
  expect(await production.waitForLog('origin refused')).toMatchObject([{ origin }]);
});

it('signs in and sends in a sandboxed frame, in which the browser refuses locks and service workers', async () => {
  const page = await appPage();
  const failures: Error[] = [];
  page.on('pageerror', (error) => failures.push(error));
  await page.setContent('<iframe sandbox="allow-scripts" srcdoc="<!doctype html>"></iframe>');
  const frame = await (await page.waitForSelector('iframe')).contentFrame();
  const sent = await frame?.evaluate(`(async () => {
    const { Parley } = await import('${production.url}/sdk/parley.js');
    const kept = new Map();
    const storage = {
      getItem: (key) => kept.get(key) ?? null,
      setItem: (key, value) => kept.set(key, value),
      removeItem: (key) => kept.delete(key),
    };
    const client = new Parley({ apiKey: '', baseUrl: '${production.url}', storage });
    const signMessage = ({ message }) => window.signWithTestKey(message);
    await client.signIn({ address: await window.ownAddress(), signMessage });
    const to = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
    return (await client.messages.send({ to, content: 'Hello', type: 'text' })).status;
  })()`);
  expect(sent).toBe('sent');
  expect(failures).toEqual([]);
});

it('reports that a URL is not a Parley server', async () => {
  const page = await appPage();
  expect(await start(page, production.url, origin)).toMatchObject({
    code: 'NETWORK_ERROR',
    message: expect.stringContaining(`${origin} did not answer as a Parley server`) as string,
  });
});
