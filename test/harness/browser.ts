import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { PrivateKeyAccount } from 'viem';
import type { MediaTrack, Parley, VideoConfig } from '../../sdk/src/index.ts';
import { installed } from './installed.ts';
import { until } from './until.ts';

/** Frames small and few: two cores carry several pages that encode and decode. */
const fakeDevices = '--use-fake-device-for-media-stream=device-count=4,fps=10';
/** Camera and microphone are granted to whoever asks. */
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
  /** Another program that runs Chromium with the arguments it is given. */
  executablePath?: string;
  args?: string[];
}

/** Debian's Chromium with fake cameras (moving pictures) and microphones (a beep a second). */
export function launchChromium({
  grant = true,
  executablePath,
  args = [],
}: LaunchOptions = {}): Promise<Browser> {
  return chromium.launch({
    timeout: 120_000,
    executablePath: executablePath ?? installed('chromium'),
    args: [...quiet, fakeDevices, ...(grant ? [granting] : []), ...args],
  });
}

declare global {
  interface Window {
    sdk: { Parley: typeof Parley };
    parley: Parley;
    signWithTestKey: (message: string) => Promise<string>;
    /** Events as they came. */
    seen: { name: string; payload: unknown }[];
    /** What comes from others now, by wallet and source. */
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
  /** Makes the client again and signs in: after a reload. */
  signIn: () => Promise<void>;
}

/** A page of the server with a signed-in client in it, built on /sdk/parley.js as any app's page may be. */
export async function openClient(
  browser: Browser,
  url: string,
  account = privateKeyToAccount(generatePrivateKey()),
): Promise<BrowserClient> {
  const context = await newContext(browser);
  const page = await context.newPage();
  await page.exposeFunction('signWithTestKey', (message: string) => account.signMessage({ message }));
  // Any document of the server's origin will do; this one runs nothing of its own.
  await page.goto(`${url}/healthz`);
  const signIn = () => signInPage(page, account.address);
  await signIn();
  return { page, context, account, address: account.address, signIn };
}

/** tsx, which runs the benchmarks, marks functions with a helper that is in no page. */
export async function newContext(browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext();
  await context.addInitScript('globalThis.__name = (f) => f');
  return context;
}

async function signInPage(page: Page, address: string): Promise<void> {
  // As text, since vitest would rewrite an import() in a function.
  await page.evaluate("import('/sdk/parley.js').then((sdk) => { window.sdk = sdk; })");
  await page.evaluate(async (own) => {
    window.parley = new window.sdk.Parley({ apiKey: '' });
    window.seen = [];
    const party = ['call:participant:updated', 'call:participant:away'] as const;
    const endings = ['call:ended', 'call:declined', 'call:missed'] as const;
    for (const name of ['call:incoming', 'call:answered', ...party, ...endings] as const) {
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
      // Everybody's by itself: Chromium measures a sound when it plays it.
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

/** Waits for an event in the page, past or to come. */
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
  /** Grows with what is heard: silence adds nothing. */
  audioEnergy: number;
  /** For example video/VP8. */
  videoCodec: string;
}

export function received(page: Page, callId: string): Promise<Received> {
  return page.evaluate(async (id) => {
    const { receiving } = await window.parley.media.stats(id);
    // Without a codec it is mediasoup's probe of the bandwidth.
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

/** What a call's camera is asked for in tests. */
export const smallVideo = { width: 320, height: 180, frameRate: 10 };

/** One page calls another, which answers. */
export async function makeCall(
  from: BrowserClient,
  to: BrowserClient,
  { type = 'video', video = {} }: { type?: 'audio' | 'video'; video?: VideoConfig } = {},
): Promise<string> {
  const callId = await from.page.evaluate(async (options) => (await window.parley.calls.start(options)).id, {
    to: to.address,
    type,
    video: { ...smallVideo, ...video },
  });
  await eventIn(to.page, 'call:incoming');
  await to.page.evaluate((id) => window.parley.calls.answer(id), callId);
  return callId;
}

/** Waits until new frames and new sound arrive on each of these pages. */
export async function allReceive(callId: string, ...clients: BrowserClient[]): Promise<void> {
  await Promise.all(
    clients.map(async ({ page }) => {
      const before = await received(page, callId);
      await until(async () => {
        const now = await received(page, callId);
        // Counters begin anew with a new transport.
        const isNew = now.framesDecoded < before.framesDecoded || now.audioEnergy < before.audioEnergy;
        const { framesDecoded, audioEnergy } = isNew ? { framesDecoded: 0, audioEnergy: 0 } : before;
        return now.framesDecoded - framesDecoded > 3 && now.audioEnergy > audioEnergy;
      }, 'moving video and sound');
    }),
  );
}

/** Waits until the page has heard of the interruption, and is connected again: however short the one, and late the other. */
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
