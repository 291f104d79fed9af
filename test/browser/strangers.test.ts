import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import type HlsClass from 'hls.js';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LiveStream } from '../../sdk/src/types.ts';
import { launchChromium } from '../harness/browser/browser.ts';
import { fetchWhenReady } from '../harness/nodes/fetchWhenReady.ts';
import { Firefox } from '../harness/browser/Firefox.ts';
import { installed } from '../harness/run/installed.ts';
import { freePorts } from '../harness/nodes/ports.ts';
import { FfmpegPublisher } from '../harness/clients/FfmpegPublisher.ts';
import { publishIn, statsIn, watchIn } from '../harness/browser/rtcPages.ts';
import { ServerProcess } from '../harness/nodes/ServerProcess.ts';
import { Strangers, type Stranger, type StrangerPlayer } from '../harness/clients/Stranger.ts';
import { TestClient } from '../harness/clients/TestClient.ts';
import { until } from '../harness/until.ts';
import { WhipClients } from '../harness/clients/WhipClient.ts';
import { FrameInspector } from '../harness/media/FrameInspector.ts';
import { WebrtcServer } from '../integration/streaming/webrtcSupport.ts';

/*
 * Every independent publisher with every independent player. The results must match the table in docs/guides/streamer.md; with
 * UPDATE_TABLE=1, this test rewrites the table instead.
 */

const table = new URL('../../docs/guides/streamer.md', import.meta.url);
const players = ['pion', 'aiortc', 'webrtcbin', 'libdatachannel'] as const;
const publishers = [
  ['aiortc', 'VP8'],
  ['aiortc', 'H264'],
  ['webrtcbin', 'VP8'],
  ['webrtcbin', 'H264'],
  ['webrtcbin', 'VP9'],
  ['whip-client', 'H264'],
  ['OBS', 'H264'],
  ['Chromium', 'VP8'],
  ['Firefox', 'VP8'],
  ['Firefox', 'H264'],
  ['ffmpeg, RTMP', 'H264'],
  ['GStreamer, RTMP', 'H264'],
] as const;
const browserNames = ['Chromium', 'Firefox'] as const;
type BrowserName = (typeof browserNames)[number];
const columns = [...players, ...browserNames, 'HLS', 'hls.js'];
const both = 'video and audio';
/** Players that receive only audio, because they cannot decode the video codec. */
const audioOnly = new Set(['aiortc VP9']);

let strangers: Strangers;
let server: ServerProcess;
let whipClients: WhipClients;
let host: TestClient;
let browsers: { Chromium: Browser; Firefox: Firefox };
let hlsJs: string;
const rows = new Map<string, string>();
const rowName = (publisher: string, codec: string) => `${publisher}, ${codec}`;

beforeAll(async () => {
  strangers = await Strangers.open();
  const at = strangers.network.hostAddress;
  const rtmpPort = await freePorts();
  server = await ServerProcess.start(({ port }) => ({
    HOST: '0.0.0.0',
    MEDIA_ANNOUNCED_ADDRESS: at,
    PUBLIC_URL: `http://${at}:${port}`,
    RTMP_PORT: String(rtmpPort),
    STREAM_TRANSCODES: String(publishers.length),
    RATE_LIMIT_REALTIME: '10000',
  }));
  const url = `http://${at}:${server.ports.port}`;
  host = await TestClient.signIn(url);
  const [Chromium, firefox] = await Promise.all([
    launchChromium({ whole: true, args: [`--unsafely-treat-insecure-origin-as-secure=${url}`] }),
    Firefox.launch(url),
  ]);
  browsers = { Chromium, Firefox: firefox };
  // Use the build that the console uses.
  hlsJs = await readFile(createRequire(import.meta.url).resolve('hls.js/light'), 'utf8');
  whipClients = await WhipClients.create();
  await strangers.built;
});
afterAll(async () => {
  await browsers?.Chromium.close();
  await browsers?.Firefox.close();
  host?.close();
  await whipClients?.close();
  await strangers?.close();
  await server?.dispose();
});

async function openPage(browser: BrowserName, stream: LiveStream) {
  const page = await browsers[browser].newPage();
  await page.goto(`${new URL(stream.whepUrl).origin}/healthz`);
  return page;
}

/** @returns a function that stops the publisher */
async function publish(
  publisher: (typeof publishers)[number][0],
  codec: string,
  stream: LiveStream,
): Promise<() => Promise<void>> {
  if (publisher === 'ffmpeg, RTMP') {
    const pusher = new FfmpegPublisher(`${stream.rtmpUrl}/${stream.streamKey}`, {
      size: '320x180',
      rate: 15,
    });
    return () => pusher.kill();
  }
  if (publisher === 'Chromium' || publisher === 'Firefox') {
    const page = await openPage(publisher, stream);
    const options = {
      url: stream.whipUrl,
      credential: stream.streamKey,
      codec: `video/${codec.toLowerCase()}`,
    };
    expect((await publishIn(page, options)).status).toBe(201);
    return () => page.close();
  }
  if (publisher === 'whip-client') {
    const client = whipClients.publish(stream.whipUrl, stream.streamKey, 'H264');
    return () => client.stop();
  }
  if (publisher === 'GStreamer, RTMP') {
    const sink = strangers.publish('rtmp2sink', codec, stream.rtmpUrl, stream.streamKey);
    return () => sink.stop();
  }
  const program = publisher === 'OBS' ? 'libdatachannel' : publisher;
  const stranger = strangers.publish(program, codec, stream.whipUrl, stream.streamKey);
  return () => stranger.stop();
}

const isSending = async ({ id }: LiveStream) => (await host.parley.streaming.get(id)).isSending;

/** The media that a player receives, once it receives all it can decode. */
async function seenBy(player: StrangerPlayer, codec: string, stream: LiveStream): Promise<string> {
  const stranger = strangers.play(player, stream.whepUrl);
  const frames = audioOnly.has(`${player} ${codec}`) ? 0 : 10;
  const isPlaying = () => stranger.report.frames >= frames && stranger.report.packets > 20;
  await until(() => isPlaying() || stranger.hasEnded, `${player} plays`);
  if (!isPlaying())
    throw new Error(`${player} ended: ${JSON.stringify(stranger.report)} ${stranger.errors.slice(-1_000)}`);
  const { frames: seen } = stranger.report;
  await stranger.stop();
  return seen > 0 ? both : 'audio';
}

async function seenIn(name: BrowserName, stream: LiveStream): Promise<string> {
  const page = await openPage(name, stream);
  expect((await watchIn(page, { url: stream.whepUrl })).status).toBe(201);
  await until(async () => {
    const { framesDecoded, audioEnergy } = await statsIn(page, 'player');
    return framesDecoded > 10 && audioEnergy > 0;
  }, `${name} plays`);
  await page.close();
  return both;
}

async function seenByHls({ playbackUrl }: LiveStream): Promise<string> {
  const master = await (await fetchWhenReady(playbackUrl)).text();
  expect(master).toMatch(/CODECS="avc1\.\w+,mp4a\.40\.2"/);
  const args = `-v error -i ${playbackUrl} -map 0:v -frames:v 10 -f null - -map 0:a -frames:a 10 -f null -`;
  await runFfmpeg(args);
  // With these arguments, ffmpeg fails at a damaged frame.
  const strict = '-v error -xerror -err_detect explode -i pipe:0 -f null -';
  await runFfmpeg(strict, await threeSegments(new URL(/^[^#\s].*$/m.exec(master)?.[0] ?? '', playbackUrl)));
  return both;
}

async function runFfmpeg(args: string, input?: Buffer): Promise<void> {
  const running = promisify(execFile)(installed('ffmpeg'), args.split(' '));
  running.child.stdin?.end(input);
  await running;
}

/** Three segments without a discontinuity between them. */
async function threeSegments(playlist: URL): Promise<Buffer> {
  const addresses = await until(async () => {
    const text = await (await fetchWhenReady(playlist.href)).text();
    const segments =
      text
        .split('#EXT-X-DISCONTINUITY\n')
        .at(-1)
        ?.match(/^[^#\s].*$/gm) ?? [];
    return segments.length >= 3 ? segments : null;
  }, 'three segments');
  const bytes = addresses.map(async (address) => (await fetch(new URL(address, playlist))).arrayBuffer());
  return Buffer.concat((await Promise.all(bytes)).map((part) => Buffer.from(part)));
}

async function seenByHlsJs(stream: LiveStream): Promise<string> {
  await fetchWhenReady(stream.playbackUrl);
  const page = await openPage('Chromium', stream);
  await page.evaluate(hlsJs);
  await page.evaluate((url) => {
    const { Hls } = window as unknown as { Hls: typeof HlsClass };
    const video = Object.assign(document.createElement('video'), { autoplay: true });
    document.body.append(video);
    const hls = new Hls({ enableWorker: false });
    hls.loadSource(url);
    hls.attachMedia(video);
  }, stream.playbackUrl);
  const isPlaying = () =>
    page.evaluate(() => {
      const video = document.querySelector('video') as HTMLVideoElement & {
        webkitAudioDecodedByteCount: number;
      };
      return video.getVideoPlaybackQuality().totalVideoFrames > 10 && video.webkitAudioDecodedByteCount > 0;
    });
  await until(isPlaying, 'hls.js plays');
  await page.close();
  return both;
}

describe.concurrent('publishers and players', () => {
  // First, because it takes the longest.
  it(
    'keep the connections of clients that do not repeat their ICE consent, until they are lost',
    { timeout: 300_000 },
    async () => {
      const stream = await host.parley.streaming.create({ title: 'without consent' });
      const stop = await publish('webrtcbin', 'VP8', stream);
      await until(() => isSending(stream), 'the publisher sends');
      const watching = (['pion', 'webrtcbin'] as const).map((player) =>
        strangers.play(player, stream.whepUrl),
      );
      const viewers = async () => (await host.parley.streaming.get(stream.id)).viewerCount;
      // The video has 15 frames a second, and a consent lasts for 30 seconds.
      await until(
        () => watching.every(({ report }) => report.frames > 500),
        `all play on ${JSON.stringify(watching.map(({ report }) => report))}`,
        120_000,
      );
      expect(await viewers()).toBe(2);
      watching[1]?.kill();
      await until(async () => (await viewers()) === 1, 'the server notices that one is gone', 90_000);
      await watching[0]?.stop();
      await stop();
      await host.parley.streaming.end(stream.id);
    },
  );

  it.each(publishers)('%s publishes %s to every player', async (publisher, codec) => {
    const stream = await host.parley.streaming.create({ title: publisher });
    const stop = await publish(publisher, codec, stream);
    try {
      await until(() => isSending(stream), `${publisher} publishes`);
      const seen = await Promise.all([
        ...players.map((player) => seenBy(player, codec, stream)),
        ...browserNames.map((name) => seenIn(name, stream)),
        seenByHls(stream),
        seenByHlsJs(stream),
      ]);
      rows.set(rowName(publisher, codec), seen.join(' | '));
    } finally {
      await stop();
      await host.parley.streaming.end(stream.id);
    }
  });

  it('the server ends the sessions of players that cannot decode the codec of a returning publisher', async () => {
    const stream = await host.parley.streaming.create({ title: 'another codec' });
    const stop = await publish('aiortc', 'VP8', stream);
    await until(() => isSending(stream), 'the publisher sends');
    const watching = players.map((player) => strangers.play(player, stream.whepUrl));
    const pages = await Promise.all(browserNames.map((name) => openPage(name, stream)));
    for (const page of pages) await watchIn(page, { url: stream.whepUrl });
    await until(() => watching.every(({ report }) => report.frames > 5), 'all play');
    for (const page of pages)
      await until(async () => (await statsIn(page, 'player')).framesDecoded > 5, 'browsers play');
    await stop();
    await until(async () => !(await isSending(stream)), 'the stream waits');
    const stopSecond = await publish('OBS', 'H264', stream);
    await until(() => watching.every(hasLost), 'their connections close').catch((error: unknown) => {
      throw new Error(`${String(error)} ${JSON.stringify(watching.map(({ report }) => report))}`);
    });
    for (const page of pages)
      await until(
        async () => (await statsIn(page, 'player')).videoCodec === 'video/H264',
        'browsers continue',
      );
    expect(await seenBy('pion', 'H264', stream)).toBe(both);
    await stopSecond();
    for (const page of pages) await page.close();
    await host.parley.streaming.end(stream.id);
  });
});

it('forwards Firefox’s VP8 layers, whose frames lack picture ids, so that viewers can switch layers', async () => {
  const at = strangers.network.hostAddress;
  const media = { listenIp: '0.0.0.0', announcedAddresses: [at] };
  const webrtc = await WebrtcServer.open({ media });
  const { cluster, stream } = webrtc;
  const page = await browsers.Firefox.newPage();
  await page.goto(`${webrtc.url}/page`);
  const layers = [
    { rid: 'h', scaleResolutionDownBy: 1 },
    { rid: 'm', scaleResolutionDownBy: 2 },
  ];
  const { body } = await publishIn(page, { url: webrtc.whip, credential: stream.key, layers });
  expect(body).toContain('a=simulcast:recv h;m\r\n');
  const frameWitness = await FrameInspector.open(cluster, stream.streamId, 'witness', {
    withoutPictureIds: true,
  });
  for (const height of [1080, 90, 1080]) {
    await frameWitness.setHeight(height);
    const { frames } = frameWitness.frames;
    await until(() => frameWitness.frames.frames > frames + 10, 'frames');
  }
  expect(frameWitness.frames.problems).toEqual([]);
  expect(frameWitness.frames.keyFrames).toBeGreaterThan(1);
  await frameWitness.close();
  await page.close();
  await webrtc.close();
});

/** Whether the player has noticed the end. pion ignores the end of DTLS, but notices missing packets and closes half a minute later. */
const hasLost = ({ hasEnded, report }: Stranger) => hasEnded || report.state === 'disconnected';

it('matches the table in the documentation', async () => {
  const head = [`| publisher | ${columns.join(' | ')} |`, `|---|${columns.map(() => '---|').join('')}`];
  const names = publishers.map(([publisher, codec]) => rowName(publisher, codec));
  const body = names.map((name) => `| ${name} | ${rows.get(name)} |`);
  const text = await readFile(table, 'utf8');
  const written = text.replace(/\n\| publisher[^]*?\n(?=\n)/, `\n${[...head, ...body].join('\n')}\n`);
  if (process.env.UPDATE_TABLE) await writeFile(table, written);
  expect(plain(await readFile(table, 'utf8'))).toBe(plain(written));
});

/** Removes the alignment of table columns. */
const plain = (text: string) =>
  text.replace(/ +/g, ' ').replace(/-{3,}/g, '---').replaceAll('| ---', '|---').replaceAll('--- |', '---|');
