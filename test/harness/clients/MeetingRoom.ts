import { createReadStream } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import type { Browser, Page } from 'playwright-core';
import type { LocalMediaCluster, LocalMediaOptions } from '../../../media/cluster/LocalMediaCluster.ts';
import { openLocal } from '../media/mediaFixtures.ts';
import { walletAddress } from '../../../sdk/protocol/common.ts';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import { toIso } from '../../../sdk/protocol/common.ts';
import type { PartyId } from '../../../sdk/protocol/party.ts';
import type { WireQualitySample } from '../../../sdk/protocol/quality.ts';
import { requests, type RequestOf } from '../../../sdk/protocol/wire.ts';
import type { Source } from '../../../sdk/src/index.ts';
import { authenticate } from '../../../signaling/socket/authenticate.ts';
import type { ParleyServer, ParleySocket } from '../../../signaling/socket/RequestContext.ts';
import { createIo } from '../../../signaling/socket/createIo.ts';
import type { Handlers } from '../../../signaling/socket/Handlers.ts';
import { RequestDispatcher } from '../../../signaling/socket/RequestDispatcher.ts';
import { mediaHandlers } from '../../../signaling/media/handlers.ts';
import { MediaSessions } from '../../../signaling/media/MediaSessions.ts';
import { TurnServers } from '../../../signaling/media/TurnServers.ts';
import { memoryLimiters } from '../../../platform/limits/limiters.ts';
import { LimitFactory } from '../../../platform/limits/Limits.ts';
import { Notifier } from '../../../signaling/socket/Notifier.ts';
import { newContext } from '../browser/browser.ts';
import { addPattern } from '../media/patternVideo.ts';

const log = pino({ level: 'silent' });
/** The scripts of /sdk: the SDK, and mediasoup-client, which it imports. */
const scripts = new Map(
  ['/sdk/parley.js', '/sdk/mediasoup.js'].map((path) => [
    path,
    fileURLToPath(new URL(`../../..${path.replace('/sdk', '/sdk/dist')}`, import.meta.url)),
  ]),
);

interface Camera {
  width: number;
  height: number;
  /** Sends noise, which uses the full bitrate, like a video of leaves in the wind. A fake camera's video uses hardly any. */
  isNoisy?: boolean;
  /** Sends a video whose frames can be checked (patternVideo.ts). */
  isPattern?: boolean;
}

declare global {
  interface Window {
    noise: (size: Camera) => MediaStreamTrack;
  }
}

/** Runs in the page. */
const makeNoise = () => {
  window.noise = ({ width, height }) => {
    const canvas = Object.assign(document.createElement('canvas'), { width, height });
    const context = canvas.getContext('2d') as CanvasRenderingContext2D;
    const block = 24;
    const paint = (share: number) => {
      for (let x = 0; x < width; x += block) {
        for (let y = 0; y < height; y += block) {
          if (Math.random() > share) continue;
          context.fillStyle = `hsl(${Math.random() * 360} 60% 50%)`;
          context.fillRect(x, y, block, block);
        }
      }
    };
    paint(1);
    setInterval(() => paint(0.15), 100);
    const track = canvas.captureStream(10).getVideoTracks()[0] as MediaStreamTrack;
    track.contentHint = 'motion';
    return track;
  };
};

/**
 * A server where any client may join any conference. It handles signalling's media requests with real workers, but has no conference
 * rules, wallets or database.
 */
export class MeetingRoom {
  readonly url: string;
  readonly port: number;
  readonly cluster: LocalMediaCluster;
  /** Called before a client produces a source. @throws ParleyError to refuse it */
  mayProduce: (source: Source) => Promise<void> = () => Promise.resolve();
  /** What devices have reported, by wallet. */
  readonly samples = new Map<PartyId, WireQualitySample[]>();
  readonly #http: Server;
  readonly #io: ParleyServer;
  #guests = 0;

  /** @param listen the IP address it listens on */
  static async open(media: Partial<LocalMediaOptions> = {}, listen = '127.0.0.1'): Promise<MeetingRoom> {
    const cluster = await openLocal(media);
    const http = createServer((request, response) => {
      const script = scripts.get(request.url ?? '');
      response.setHeader('content-type', script ? 'text/javascript' : 'text/html');
      if (script) createReadStream(script).pipe(response);
      else response.end('<!doctype html><title>Meeting room</title><body></body>');
    });
    await new Promise<void>((resolve) => http.listen(0, listen, resolve));
    const { port } = http.address() as AddressInfo;
    return new MeetingRoom(http, cluster, `http://${listen}:${port}`, port);
  }

  private constructor(http: Server, cluster: LocalMediaCluster, url: string, port: number) {
    this.#http = http;
    this.cluster = cluster;
    this.url = url;
    this.port = port;
    const io = createIo({ httpServer: http, adapter: null, isAllowedOrigin: () => true, log });
    this.#io = io;
    const turn = new TurnServers({ urls: () => [], secret: () => undefined, ttlSeconds: 60 });
    const limitFactory = new LimitFactory(memoryLimiters);
    const limit = limitFactory.perWallet('media', 1_000, 60);
    const reporting = limitFactory.perKey('reports', 1_000, 60);
    const limits = { joining: limit, sending: limit, reporting };
    const ignore = () => undefined;
    const report = ({ data }: ParleySocket, { id: room, ...measured }: RequestOf<'media.report'>) => {
      const scores = data.scores.get(room) ?? { sending: null, receiving: null };
      const sample = { at: toIso(new Date()), ...measured, scores, server: cluster.usageOf() };
      const { wallet } = data.session;
      this.samples.set(wallet, [...(this.samples.get(wallet) ?? []), sample]);
    };
    const qualityLog = { report, event: ignore, left: ignore };
    const notifier = new Notifier(io);
    const sessions = new MediaSessions({ cluster, notifier, io, turn, qualityLog, ...limits, log });
    sessions.addScope('conference', {
      admit: ({ wallet }) =>
        Promise.resolve({ identity: wallet, revision: 0, role: 'participant', displayName: null }),
      multiparty: {
        mayProduce: async (_context, _id, { source }) => {
          await this.mayProduce(source);
          return { paused: false };
        },
      },
    });
    const absent = () => Promise.reject(new ParleyError('NOT_FOUND', 'This fixture has no such request.'));
    const none = Object.fromEntries(
      Object.keys(requests).map((name) => [name, absent]),
    ) as unknown as Handlers;
    const dispatcher = new RequestDispatcher({
      handlers: { ...none, ...mediaHandlers(sessions, cluster) },
      rateLimit: 10_000,
      networkRateLimit: 1_000_000,
      onGone: () => {},
      log,
    });
    const verify = (token: string) =>
      Promise.resolve({
        sessionId: token,
        wallet: walletAddress.parse(token),
        network: 'mainnet' as const,
        expiresAt: new Date(Date.now() + 3_600_000),
      });
    authenticate(io, verify, log);
    io.on('connection', (socket) => {
      dispatcher.open(socket);
      socket.emit('session:welcome', {
        walletAddress: socket.data.session.wallet,
        serverTime: toIso(new Date()),
        rtpCapabilities: sessions.rtpCapabilities,
        takesReports: true,
        rateLimit: 10_000,
        latestEvent: 0,
      });
    });
  }

  /** Opens a page whose client joins the room. @param camera the camera video it sends; null sends nothing */
  async enter(browser: Browser, roomId: string, camera: Camera | null) {
    const wallet = walletAddress.parse(`0x${String(++this.#guests).padStart(40, '0')}`);
    const context = await newContext(browser);
    const page = await context.newPage();
    await page.goto(this.url);
    await page.evaluate(makeNoise);
    await addPattern(page);
    await page.evaluate("import('/sdk/parley.js').then((sdk) => { window.sdk = sdk; })");
    await page.evaluate(
      async ({ token, room, size }) => {
        window.parley = new window.sdk.Parley({ apiKey: '', sessionToken: token });
        window.seen = [];
        for (const name of ['media:track', 'media:track:ended', 'media:failed'] as const) {
          window.parley.on(name, (payload) => {
            const track = 'track' in payload ? payload : null;
            const shown = { source: track?.source, wallet: track?.participant.walletAddress };
            window.seen.push({
              name,
              payload: { ...shown, failed: 'error' in payload && String(payload.error) },
            });
            if (name !== 'media:track' || track?.track.kind !== 'video') return;
            const id = `${shown.wallet} ${shown.source}`;
            const video =
              (document.getElementById(id) as HTMLVideoElement | null) ?? document.createElement('video');
            Object.assign(video, {
              id,
              muted: true,
              autoplay: true,
              playsInline: true,
              srcObject: track.stream,
            });
            document.body.append(video);
          });
        }
        // Connects and waits for the welcome event.
        await window.parley.calls.getActive().catch(() => undefined);
        const devices = size && !size.isNoisy && !size.isPattern ? { video: size, audio: true } : null;
        const tracks = devices ? (await navigator.mediaDevices.getUserMedia(devices)).getTracks() : [];
        if (size?.isNoisy) tracks.push(window.noise(size));
        if (size?.isPattern) tracks.push(window.pattern.send(size));
        await window.parley.media.open('conference', room, tracks);
      },
      { token: wallet, room: roomId, size: camera },
    );
    return { page, context, wallet };
  }

  async close(): Promise<void> {
    await this.#io.close();
    this.#http.close();
    await this.cluster.close();
  }
}

/** The video that this page receives from a wallet: its height, and the frames decoded so far. */
export function receivedVideo(
  page: Page,
  roomId: string,
  wallet: string,
  source: Source = 'camera',
): Promise<{ height: number; frames: number }> {
  return page.evaluate(
    async ({ room, from, what }) => {
      const video = document.getElementById(`${from} ${what}`) as HTMLVideoElement | null;
      const track = (video?.srcObject as MediaStream | null)?.getVideoTracks()[0];
      const { receiving } = await window.parley.media.stats(room);
      const entry = (receiving as RTCInboundRtpStreamStats[]).find(
        ({ type, trackIdentifier }) => type === 'inbound-rtp' && trackIdentifier === track?.id,
      );
      return { height: entry?.frameHeight ?? 0, frames: entry?.framesDecoded ?? 0 };
    },
    { room: roomId, from: wallet, what: source },
  );
}

/** The video layers that this page sends, the smallest first. */
export function sentLayers(
  page: Page,
  roomId: string,
): Promise<{ rid: string; active: boolean; height: number; frames: number }[]> {
  return page.evaluate(async (room) => {
    const { sending } = await window.parley.media.stats(room);
    return (sending as RTCOutboundRtpStreamStats[])
      .filter(({ type, kind }) => type === 'outbound-rtp' && kind === 'video')
      .map(({ rid, active, frameHeight, framesEncoded }) => ({
        rid: rid ?? '',
        active: active ?? false,
        height: frameHeight ?? 0,
        frames: framesEncoded ?? 0,
      }))
      .sort((one, other) => one.rid.localeCompare(other.rid));
  }, roomId);
}
