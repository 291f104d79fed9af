import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import express from 'express';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksFor, root } from '../docs/blocks.ts';
import { launchChromium, newContext } from '../harness/browser/browser.ts';
import { Firefox, type FirefoxPage } from '../harness/browser/Firefox.ts';
import { oneNode, type OneNode } from '../harness/nodes/Harness.ts';
import { freePorts } from '../harness/nodes/ports.ts';
import { until } from '../harness/until.ts';

/*
 * Apps of strangers: made from the packed packages by following docs/guides/react.md and docs/guides/embedding.md, outside of this
 * repository, and used in Chromium and Firefox.
 */

const run = promisify(execFile);
/** What the guides install as the latest version. */
const versions = { 'create-vite': '9.3.0', 'create-next-app': '16.4.3' };

const reactBlocks = blocksFor('docs/guides/react.md', 'apps.test.ts');
const [makeVite = '', phone = '', makeNext = '', roomPage = '', ...examples] = reactBlocks;
const [plainPage = '', listening = ''] = blocksFor('docs/guides/embedding.md', 'apps.test.ts');

// Not in the folder of the other tests, which may be in memory: the packages of Next.js are large.
const folder = mkdtempSync('/var/tmp/parley-apps-');
const servers: Server[] = [];
let harness: OneNode;
let chromium: Browser;
let firefox: Firefox;
let viteApp: string;
let nextApp: string;
let nextProcess: ReturnType<typeof execFile> | undefined;
let plainUrl: string;

beforeAll(async () => {
  const plainPort = await freePorts(3);
  const [vitePort, nextPort] = [plainPort + 1, plainPort + 2];
  plainUrl = `http://127.0.0.1:${plainPort}`;
  [harness] = await Promise.all([oneNode({ EMBED_ORIGINS: plainUrl, MEDIA_ANNOUNCED_ADDRESS: '' }), pack()]);
  [viteApp, nextApp] = await Promise.all([buildVite(vitePort), buildNext(nextPort)]);
  serve(plainPort, (app) =>
    app.get('/', (request, response) => response.send(request.query['html'] as string)),
  );
  [chromium, firefox] = await Promise.all([launchChromium(), Firefox.launch(harness.url())]);
}, 600_000);

afterAll(async () => {
  await Promise.all([chromium?.close(), firefox?.close()]);
  nextProcess?.kill();
  for (const server of servers) server.close();
  await harness?.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Builds the packages where the guides look for them. */
async function pack(): Promise<void> {
  mkdirSync(join(folder, 'parley'));
  const to = ['--', '--pack-destination', join(folder, 'parley')];
  const packing = ['sdk', 'react'].map((name) => run('npm', ['run', `pack:${name}`, ...to], { cwd: root }));
  await Promise.all(packing);
  expect(readdirSync(join(folder, 'parley')).sort()).toEqual([
    'parley-react-0.1.0.tgz',
    'parley-sdk-0.1.0.tgz',
  ]);
}

/** Runs the commands of a guide, with the versions of today. */
async function follow(commands: string): Promise<void> {
  const pinned = commands
    .replace('create vite@latest', `create vite@${versions['create-vite']}`)
    .replace('create-next-app@latest', `create-next-app@${versions['create-next-app']}`);
  const env = {
    ...process.env,
    CI: '1',
    npm_config_yes: 'true',
    NEXT_TELEMETRY_DISABLED: '1',
    npm_config_audit: 'false',
  };
  await run('bash', ['-e', '-c', pinned], { cwd: folder, env, maxBuffer: 1e8 });
}

const atServer = (source: string) => source.replaceAll('http://127.0.0.1:3000', harness.url());

function write(path: string, source: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), atServer(source));
}

function serve(port: number, add: (app: ReturnType<typeof express>) => unknown): string {
  const app = express();
  add(app);
  servers.push(createServer(app).listen(port, '127.0.0.1'));
  return `http://127.0.0.1:${port}`;
}

async function buildVite(port: number): Promise<string> {
  await follow(makeVite);
  write('my-app/src/App.tsx', phone);
  // Only type-checked.
  for (const [index, example] of examples.entries()) write(`my-app/src/Example${index}.tsx`, example);
  await run('npm', ['run', 'build'], { cwd: join(folder, 'my-app') });
  return serve(port, (app) => app.use(express.static(join(folder, 'my-app/dist'))));
}

const plainLayout = `export default function RootLayout({ children }: { children: React.ReactNode }) {
  return <html lang="en"><body>{children}</body></html>;
}
`;

async function buildNext(port: number): Promise<string> {
  await follow(makeNext);
  // The layout of the template loads fonts from the internet.
  write('my-site/app/layout.tsx', plainLayout);
  write('my-site/app/room/[id]/page.tsx', roomPage);
  write('my-site/app/phone/page.tsx', `'use client';\n${phone}`);
  const cwd = join(folder, 'my-site');
  const next = join(cwd, 'node_modules/next/dist/bin/next');
  await run(process.execPath, [next, 'build'], { cwd });
  nextProcess = execFile(
    process.execPath,
    [next, 'start', '--port', String(port), '--hostname', '127.0.0.1'],
    { cwd },
  );
  const url = `http://127.0.0.1:${port}`;
  await until(async () => (await fetch(`${url}/phone`).catch(() => null))?.ok, 'the Next.js app is ready');
  return url;
}

describe('a phone from the guide for React', () => {
  it('calls from the Vite app in Chromium to the Next.js app in Firefox, with video both ways', async () => {
    const page = await open(`${viteApp}/`);
    await page.getByTestId('sign-in-as-guest').click();
    await page.getByText('You are 0x').waitFor();
    const other = await openInFirefox(`${nextApp}/phone`);
    await other.click('sign-in-as-guest');
    const callee = await other.waitFor(() => document.querySelector('code')?.textContent ?? '');
    await page.getByLabel('Wallet address').fill(callee);
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await other.click('answer');
    await expect.poll(() => page.evaluate(playsBoth)).toBe(true);
    await other.waitFor(playsBoth);
    await page.getByTestId('hang-up').click();
    await other.waitFor(() => document.querySelector('[data-testid=in-call]') === null);
    await other.close();
  });
});

describe('a room', () => {
  it('is entered from a plain page in Chromium and from the Next.js app in Firefox', async () => {
    const host = await harness.client();
    const { id } = await host.parley.conference.create({ name: 'Open house', maxParticipants: 5 });
    const { token } = await harness.token(id, { identity: 'bob', displayName: 'Bob' });
    const html = atServer(plainPage).replace('room="room_…"', `room="${id}" token="${token}"`) + listening;
    const page = await open(`${plainUrl}/?html=${encodeURIComponent(html)}`);
    const heard: string[] = [];
    await page.exposeFunction('hear', (name: string) => heard.push(name));
    await page.evaluate(() => {
      const { hear } = window as never as { hear: (name: string) => void };
      for (const name of ['joined', 'left', 'error'])
        document.querySelector('parley-room')?.addEventListener(`parley-${name}`, () => hear(name));
    });
    const frame = page.frameLocator('parley-room iframe');
    await frame.getByTestId('join-room').click();
    await frame.getByTestId('in-room').waitFor();
    await expect.poll(() => heard).toEqual(['joined']);

    const other = await openInFirefox(`${nextApp}/room/${id}`);
    await other.click('sign-in-as-guest');
    await other.click('join-room');
    await other.waitFor(() => document.querySelector('[data-testid=in-room]') !== null);
    await other.waitFor(playsBoth);
    await expect.poll(() => frame.locator('body').evaluate(playsBoth)).toBe(true);

    await page.evaluate(() =>
      (document.querySelector('parley-room') as never as { leave: () => void }).leave(),
    );
    await expect.poll(() => heard).toEqual(['joined', 'left']);
  });

  it('is not shown on pages of other origins', async () => {
    const page = await open(`${viteApp}/`);
    const refused = page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'));
    await page.setContent(atServer(plainPage).replace('room_…', 'room_000000000000000000000000'));
    expect((await refused).text()).toContain(harness.url());
  });
});

/** Whether the user's own video and that of somebody else play. */
const playsBoth = () =>
  [...document.querySelectorAll('video')].filter((video) => video.videoWidth > 0 && video.currentTime > 0.5)
    .length >= 2;

async function open(url: string): Promise<Page> {
  const page = await (await newContext(chromium)).newPage();
  page.setDefaultTimeout(45_000);
  await page.goto(url);
  return page;
}

interface Driven {
  /** Repeats a function in the page until it returns something true. */
  waitFor: <Value>(work: () => Value) => Promise<Value>;
  /** Clicks on the element with this test id as soon as it is there. */
  click: (testId: string) => Promise<void>;
}

async function openInFirefox(url: string): Promise<FirefoxPage & Driven> {
  const page = await firefox.newPage();
  await page.goto(url);
  const waitFor = <Value>(work: () => Value) =>
    until(async () => (await page.evaluate(work)) as Value, `${String(work).slice(0, 80)} in Firefox`);
  const click = async (testId: string) => {
    await until(
      () =>
        page.evaluate((id) => {
          const element = document.querySelector<HTMLButtonElement>(`[data-testid="${String(id)}"]:enabled`);
          element?.click();
          return element !== null;
        }, testId),
      `${testId} in Firefox`,
    );
  };
  return Object.assign(page, { waitFor, click });
}
