import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { Parley } from '../../sdk/src/index.ts';

/** Frames small and few: two cores carry several pages that encode and decode. */
const media = ['--use-fake-ui-for-media-stream', '--use-fake-device-for-media-stream=fps=10'];
const quiet = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--autoplay-policy=no-user-gesture-required',
];

/** Debian's Chromium with a fake camera (a moving picture) and microphone (a beep a second). */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [...quiet, ...media],
  });
}

declare global {
  interface Window {
    sdk: { Parley: typeof Parley };
    parley: Parley;
    signWithTestKey: (message: string) => Promise<string>;
    /** Events as they came. */
    seen: { name: string; payload: unknown }[];
  }
}

export interface BrowserClient {
  page: Page;
  context: BrowserContext;
  address: string;
  /** Makes the client again and signs in: after a reload. */
  signIn: () => Promise<void>;
}

/** A page of the server with a signed-in client in it, built on /sdk/parley.js as any app's page may be. */
export async function openClient(browser: Browser, url: string): Promise<BrowserClient> {
  const account = privateKeyToAccount(generatePrivateKey());
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.exposeFunction('signWithTestKey', (message: string) => account.signMessage({ message }));
  // Any document of the server's origin will do; this one runs nothing of its own.
  await page.goto(`${url}/healthz`);
  const signIn = () => signInPage(page, account.address);
  await signIn();
  return { page, context, address: account.address, signIn };
}

async function signInPage(page: Page, address: string): Promise<void> {
  // As text, since vitest would rewrite an import() in a function.
  await page.evaluate("import('/sdk/parley.js').then((sdk) => { window.sdk = sdk; })");
  await page.evaluate(async (own) => {
    window.parley = new window.sdk.Parley({ apiKey: '' });
    window.seen = [];
    const endings = ['call:ended', 'call:declined', 'call:missed'] as const;
    for (const name of ['call:incoming', 'call:answered', 'call:participant:updated', ...endings] as const) {
      window.parley.on(name, (payload) => window.seen.push({ name, payload }));
    }
    window.parley.on('media:track', ({ stream, track, source }) => {
      window.seen.push({ name: 'media:track', payload: { source } });
      const element = document.getElementById(track.kind) ?? document.createElement(track.kind);
      Object.assign(element, { id: track.kind, srcObject: stream, autoplay: true, playsInline: true });
      document.body.append(element);
    });
    const signMessage = ({ message }: { message: string }) => window.signWithTestKey(message);
    await window.parley.signIn({ address: own, signMessage });
  }, address);
}

/** Waits for an event in the page, past or to come. */
export async function eventIn(page: Page, name: string): Promise<Record<string, unknown>> {
  const handle = await page.waitForFunction(
    (wanted) =>
      window.seen.find((event) => event.name === wanted)?.payload as Record<string, unknown> | undefined,
    name,
    { timeout: 15_000 },
  );
  return (await handle.jsonValue()) as Record<string, unknown>;
}

export interface Received {
  framesDecoded: number;
  /** Grows with what is heard: silence adds nothing. */
  audioEnergy: number;
}

export function received(page: Page, callId: string): Promise<Received> {
  return page.evaluate(async (id) => {
    const { receiving } = await window.parley.media.stats(id);
    const inbound = receiving.filter((entry) => entry.type === 'inbound-rtp') as RTCInboundRtpStreamStats[];
    const sum = (pick: (entry: RTCInboundRtpStreamStats) => number | undefined) =>
      inbound.reduce((total, entry) => total + (pick(entry) ?? 0), 0);
    return {
      framesDecoded: sum((entry) => entry.framesDecoded),
      audioEnergy: sum((entry) => entry.totalAudioEnergy),
    };
  }, callId);
}
