import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Browser, Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Provider } from '../../sdk/src/types.ts';
import type * as flow from '../../server/console/src/provider/providerFlow.ts';
import { launchChromium } from '../harness/browser/browser.ts';
import { audience, clientId, IdentityProvider } from '../harness/services/IdentityProvider.ts';
import { ServerProcess } from '../harness/nodes/ServerProcess.ts';
import { api, roomySettings } from '../integration/money/accountSupport.ts';
import { bearer } from '../integration/support.ts';

/* The console's redirect to the identity provider and back, in Chromium, under the pages' Content-Security-Policy. */

declare global {
  interface Window {
    flow: typeof flow;
  }
}

let provider: IdentityProvider;
let browser: Browser;
let bundle: string;
const servers: ServerProcess[] = [];

beforeAll(async () => {
  const path = fileURLToPath(new URL('../../server/console/src/provider/providerFlow.ts', import.meta.url));
  const { outputFiles } = await build({
    entryPoints: [path],
    bundle: true,
    format: 'iife',
    globalName: 'bundled',
    platform: 'browser',
    write: false,
  });
  bundle = `${outputFiles[0]?.text ?? ''}; window.flow = bundled;`;
  [provider, browser] = [await IdentityProvider.start(), await launchChromium()];
});
afterAll(async () => {
  await browser?.close();
  for (const server of servers) await server.dispose();
  await provider?.down();
});

async function start(settings: Record<string, string>) {
  const server = await ServerProcess.start({
    ...roomySettings,
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: clientId,
    ...settings,
  });
  servers.push(server);
  provider.allow(`${server.url}/sign-in/return`);
  const { body } = await api(server.url, 'GET', '/auth/provider');
  return { url: server.url, known: body.provider as Provider };
}

/** Loads the bundle into a page of the server. It is evaluated from outside, which the Content-Security-Policy does not restrict. */
async function load(page: Page): Promise<void> {
  await page.evaluate(bundle);
}

/** Opens a page on which the console's scripts are blocked, because they would process the response first. */
async function openWithoutScripts(url: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  const isScript = (asked: Request) => asked.resourceType() === 'script' && asked.url().startsWith(url);
  await page.route('**', (route) => (isScript(route.request()) ? route.abort() : route.continue()));
  return page;
}

/** Leaves a page of the server for the provider, completes the provider's login and consent, and returns. */
async function signInAtProvider(page: Page, url: string, known: Provider, login: string): Promise<void> {
  await page.goto(`${url}/healthz`);
  await load(page);
  await page.evaluate((asked) => void window.flow.leaveForProvider(asked, 'signIn'), known);
  await page.locator('input[name=login]').fill(login);
  await page.locator('input[name=password]').fill('any');
  await page.locator('button[type=submit]').click();
  await page.waitForURL(/\/interaction\//);
  await page.locator('button[type=submit]').filter({ hasText: 'Continue' }).click();
  await page.waitForURL(`${url}/sign-in/return?*`);
  await load(page);
}

const returnFromProvider = (page: Page, known: Provider) =>
  page.evaluate(
    (asked) =>
      window.flow.returnFromProvider(asked).then(
        (returned) => ({ returned, error: null }),
        (error: unknown) => ({ returned: null, error: String(error) }),
      ),
    known,
  );

describe.each([
  ['the ID token', {}, 'email'],
  ['an access token', { OIDC_AUDIENCE: audience }, 'none'],
])('with %s', (_, settings, brings) => {
  it('signs in at the provider and gets a session', async () => {
    const { url, known } = await start(settings);
    const page = await openWithoutScripts(url);
    await signInAtProvider(page, url, known, 'heidi');
    const { returned, error } = await returnFromProvider(page, known);
    expect(error).toBeNull();
    expect(returned).toMatchObject({ purpose: 'signIn', returnTo: '/healthz' });
    const { status, body } = await api(url, 'GET', '/account', bearer(returned?.token ?? ''));
    expect([status, body.email]).toEqual([200, brings === 'email' ? 'heidi@example.org' : null]);
    // A response can be used only once.
    expect((await returnFromProvider(page, known)).returned).toBeNull();
    await page.context().close();
  });

  it('rejects a response to a request of another tab', async () => {
    const server = servers.at(-1);
    if (!server) throw new Error('no server');
    const { url } = server;
    const known = (await api(url, 'GET', '/auth/provider')).body.provider as Provider;
    const page = await openWithoutScripts(url);
    await signInAtProvider(page, url, known, 'mallory');
    await page.evaluate(() => {
      const away = JSON.parse(sessionStorage.getItem('parley.provider') ?? '{}') as Record<string, string>;
      sessionStorage.setItem('parley.provider', JSON.stringify({ ...away, state: 'another' }));
    });
    expect((await returnFromProvider(page, known)).error).toContain('state');
    await page.context().close();
  });
});
