import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { PrivateKeyAccount } from 'viem';
import type { MediaTrack, Parley, VideoConfig } from '../../../sdk/src/index.ts';
import { findTool } from '../../../platform/system/findTool.mjs';
import { installed } from '../run/installed.ts';
import { until } from '../until.ts';

/** The frame rate of cameras in tests. It is low because several pages encode and decode video on only two cores. */
const framesInTests = 10;
const fakeDevices = (framesPerSecond: number) =>
  `--use-fake-device-for-media-stream=device-count=4,fps=${framesPerSecond}`;
/** Grants camera and microphone to every page. */
const granting = '--use-fake-ui-for-media-stream';
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

interface LaunchOptions {
  /** Whether pages get camera and microphone. @default true */
  grant?: boolean;
  /** Whether the browser is the whole Chromium. Only that has notifications, and cameras on insecure origins. @default false */
  whole?: boolean;
  /** A program that starts Chromium and passes its arguments on. */
  executablePath?: string;
  /** The frame rate of the fake cameras. @default 10 */
  framesPerSecond?: number;
  args?: string[];
}

/** Chromium's headless shell, or Chromium on systems without it, with fake cameras (a moving video) and microphones (one beep per second). */
export function launchChromium({
  grant = true,
  whole = false,
  executablePath = (!whole && findTool('headlessShell')) || installed('chromium'),
  framesPerSecond = framesInTests,
  args = [],
}: LaunchOptions = {}): Promise<Browser> {
  return chromium.launch({
    timeout: 120_000,
    executablePath,
    args: [...quiet, fakeDevices(framesPerSecond), ...(grant ? [granting] : []), ...args],
  });
}

declare global {
  interface Window {
    sdk: { Parley: typeof Parley };
    parley: Parley;
    signWithTestKey: (message: string) => Promise<string>;
    /** The events so far, in order. */
    seen: { name: string; payload: unknown }[];
    /** The tracks received now, by wallet and source. */
    tracks: Map<string, MediaStreamTrack>;
    /** See reconnects(). */
    reconnected: Promise<void>;
  }
}

export interface BrowserClient {
  page: Page;
  context: BrowserContext;
  account: PrivateKeyAccount;
  address: string;
  /** Creates the client and signs in again after the page was reloaded. */
  signIn: () => Promise<void>;
}

/** Opens a page of the server with a signed-in client of /sdk/parley.js, as an app's page does. */
export async function openClient(
  browser: Browser,
  url: string,
  account = privateKeyToAccount(generatePrivateKey()),
): Promise<BrowserClient> {
  const context = await newContext(browser);
  const page = await context.newPage();
  await page.exposeFunction('signWithTestKey', (message: string) => account.signMessage({ message }));
  // A document on the server's origin that has no scripts.
  await page.goto(`${url}/healthz`);
  const signIn = () => signInPage(page, account.address);
  await signIn();
  return { page, context, account, address: account.address, signIn };
}

/**
 * Opens a page of the server on which nobody has clicked. Playwright's evaluate() and its locators count as clicks, after which Chromium
 * plays sound.
 * @returns the page, which may be clicked with page.mouse, and an evaluate() that is no click
 */
export async function openUnclicked(browser: Browser, url: string) {
  const context = await newContext(browser);
  const page = await context.newPage();
  await page.goto(`${url}/healthz`);
  const session = await context.newCDPSession(page);
  const evaluate = async <Value>(work: string | (() => Value)): Promise<Awaited<Value>> => {
    const expression = typeof work === 'string' ? work : `(${String(work)})()`;
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
      userGesture: false,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value as Awaited<Value>;
  };
  return { context, page, evaluate };
}

/** A new context that defines `__name`, a helper that tsx (which runs the benchmarks) adds to functions and that pages lack. */
export async function newContext(browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext();
  await context.addInitScript('globalThis.__name = (f) => f');
  return context;
}

async function signInPage(page: Page, address: string): Promise<void> {
  // A string, because vitest would rewrite an import() in a function.
  await page.evaluate("import('/sdk/parley.js').then((sdk) => { window.sdk = sdk; })");
  await page.evaluate(async (own) => {
    window.parley = new window.sdk.Parley({ apiKey: '' });
    window.seen = [];
    const party = ['call:participant:updated', 'call:participant:away'] as const;
    const endings = ['call:ended', 'call:declined', 'call:missed'] as const;
    for (const name of ['call:incoming', 'call:answered', 'call:moved', ...party, ...endings] as const) {
      window.parley.on(name, (payload) => window.seen.push({ name, payload }));
    }
    window.tracks = new Map();
    const keyOf = ({ participant, source }: MediaTrack) => `${participant.walletAddress} ${source}`;
    window.parley.on('media:track:ended', (ended) => {
      if (window.tracks.get(keyOf(ended)) === ended.track) window.tracks.delete(keyOf(ended));
    });
    window.parley.on('media:track', (shown) => {
      const { stream, track, source } = shown;
      window.tracks.set(keyOf(shown), track);
      window.seen.push({ name: 'media:track', payload: { source } });
      // One element per track, because Chromium measures a track's audio only while an element plays it.
      const id = keyOf(shown);
      const element = (document.getElementById(id) ?? document.createElement(track.kind)) as HTMLMediaElement;
      Object.assign(element, { id, autoplay: true, playsInline: true });
      if (element.srcObject !== stream) element.srcObject = stream;
      document.body.append(element);
    });
    const signMessage = ({ message }: { message: string }) => window.signWithTestKey(message);
    await window.parley.signIn({ address: own, signMessage });
  }, address);
}

/** Waits for the page's first event with this name. An event that has already arrived counts. */
export async function eventIn(page: Page, name: string): Promise<Record<string, unknown>> {
  const handle = await page.waitForFunction(
    (wanted) =>
      window.seen.find((event) => event.name === wanted)?.payload as Record<string, unknown> | undefined,
    name,
    { timeout: 45_000 },
  );
  return (await handle.jsonValue()) as Record<string, unknown>;
}

export interface Received {
  framesDecoded: number;
  /** Grows with the audio received: silence adds nothing. */
  audioEnergy: number;
  /** For example video/VP8. */
  videoCodec: string;
}

export function received(page: Page, callId: string): Promise<Received> {
  return page.evaluate(async (id) => {
    const { receiving } = await window.parley.media.stats(id);
    // Entries without a codec are mediasoup's bandwidth probes.
    const inbound = (
      receiving.filter((entry) => entry.type === 'inbound-rtp') as RTCInboundRtpStreamStats[]
    ).filter((entry) => entry.codecId);
    const sum = (pick: (entry: RTCInboundRtpStreamStats) => number | undefined) =>
      inbound.reduce((total, entry) => total + (pick(entry) ?? 0), 0);
    const codecId = inbound.find((entry) => entry.kind === 'video')?.codecId;
    const codec = receiving.find((entry) => entry.id === codecId) as { mimeType?: string } | undefined;
    return {
      framesDecoded: sum((entry) => entry.framesDecoded),
      audioEnergy: sum((entry) => entry.totalAudioEnergy),
      videoCodec: codec?.mimeType ?? '',
    };
  }, callId);
}

/** The camera settings of calls in tests. */
export const smallVideo = { width: 320, height: 180, frameRate: framesInTests };

interface TestCall {
  type?: 'audio' | 'video';
  /** The camera of the page that calls. @default smallVideo */
  video?: VideoConfig;
  /** The camera of the page that answers. @default the SDK's default */
  answer?: VideoConfig;
}

/** One page calls another, which answers. */
export async function makeCall(
  from: BrowserClient,
  to: BrowserClient,
  { type = 'video', video = {}, answer }: TestCall = {},
): Promise<string> {
  const callId = await from.page.evaluate(async (options) => (await window.parley.calls.start(options)).id, {
    to: to.address,
    type,
    video: { ...smallVideo, ...video },
  });
  await eventIn(to.page, 'call:incoming');
  await to.page.evaluate(([id, camera]) => window.parley.calls.answer(id, camera && { video: camera }), [
    callId,
    answer,
  ] as const);
  return callId;
}

/** Waits until new frames and new audio arrive on each of these pages. */
export async function allReceive(callId: string, ...clients: BrowserClient[]): Promise<void> {
  await Promise.all(
    clients.map(async ({ page }) => {
      const before = await received(page, callId);
      await until(async () => {
        const now = await received(page, callId);
        // A new transport resets the counters.
        const isNew = now.framesDecoded < before.framesDecoded || now.audioEnergy < before.audioEnergy;
        const { framesDecoded, audioEnergy } = isNew ? { framesDecoded: 0, audioEnergy: 0 } : before;
        return now.framesDecoded - framesDecoded > 3 && now.audioEnergy > audioEnergy;
      }, 'moving video and audio');
    }),
  );
}

/** Interrupts the connection and waits until the page has noticed the interruption and reconnected. */
export async function reconnects({ page }: BrowserClient, interrupt: () => unknown): Promise<void> {
  await page.evaluate(() => {
    let isAway = false;
    window.reconnected = new Promise((resolve) => {
      window.parley.on('connection:changed', ({ state }) => {
        isAway ||= state === 'reconnecting';
        if (isAway && state === 'connected') resolve();
      });
    });
  });
  await interrupt();
  await page.evaluate(() => window.reconnected);
}

export async function leave(...clients: BrowserClient[]): Promise<void> {
  await Promise.all(clients.map(({ context }) => context.close()));
}
