import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import { pino } from 'pino';
import type { LocalMediaCluster } from '../../media/LocalMediaCluster.ts';
import { openLocal } from '../../media/testSupport.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { closeAll, type Closer } from '../../server/Closer.ts';
import { openDatabase, type Database } from '../../server/database.ts';
import { answerError } from '../../server/http/errors.ts';
import { requestLog } from '../../server/http/requestLog.ts';
import { createWebrtcStreaming } from '../../server/streaming/webrtc/createWebrtcStreaming.ts';
import { memoryLimiters } from '../../signaling/limiters.ts';
import {
  publisherSeat,
  type AdmittedViewer,
  type Publisher,
  type StreamDoors,
  type StreamPeer,
  type Watching,
} from '../../signaling/streaming/StreamDoors.ts';

/** One stream that anybody with its key or token may use; what was said at its doors can be read. */
export class OneStream implements StreamDoors {
  readonly streamId = 'str_1';
  readonly key = 'sk_only-its-host-knows-it';
  readonly token = 'a-viewers-token';
  readonly said: string[] = [];
  readonly watchers = new Map<string, Watching>();
  publisher: Publisher | null = null;
  isGated = false;
  readonly #cluster: LocalMediaCluster;

  constructor(cluster: LocalMediaCluster) {
    this.#cluster = cluster;
  }

  streamOfKey(key: string): Promise<{ streamId: string }> {
    if (key === this.key) return Promise.resolve({ streamId: this.streamId });
    return Promise.reject(new ParleyError('AUTHENTICATION_REQUIRED', 'This is no stream’s key.'));
  }

  async claim(streamId: string, publisher: Publisher): Promise<StreamPeer> {
    await this.#cluster.openRoom(streamId);
    const former = this.publisher;
    this.publisher = publisher;
    former?.onReplaced();
    this.said.push(`claim ${publisher.publisherId}`);
    return { peerId: publisher.publisherId, seat: publisherSeat, tag: {}, crowd: true };
  }

  flows(_streamId: string, publisherId: string): Promise<void> {
    this.said.push(`flows ${publisherId}`);
    return Promise.resolve();
  }

  lost(_streamId: string, publisherId: string): Promise<void> {
    this.said.push(`lost ${publisherId}`);
    return Promise.resolve();
  }

  admit(playbackId: string, token: string | null): Promise<AdmittedViewer> {
    if (playbackId !== this.streamId)
      return Promise.reject(new ParleyError('NOT_FOUND', 'There is no such stream.'));
    if (this.isGated && token !== this.token)
      return Promise.reject(new ParleyError('AUTHENTICATION_REQUIRED', 'A viewer token is needed.'));
    return Promise.resolve({ streamId: this.streamId, viewer: 'somebody', walletAddress: null });
  }

  watching(_streamId: string, watching: Watching): Promise<StreamPeer> {
    this.watchers.set(watching.watchingId, watching);
    const peerId = watching.watchingId;
    return Promise.resolve({ peerId, seat: peerId, tag: {}, crowd: true, audience: true });
  }

  stoppedWatching(_streamId: string, watchingId: string): Promise<void> {
    this.watchers.delete(watchingId);
    return Promise.resolve();
  }
}

export interface WebrtcNode {
  url: string;
  close(): Promise<void>;
}

/** WHIP and WHEP on real HTTP, media and PostgreSQL, in this process. */
export class WebrtcServer {
  readonly stream: OneStream;
  readonly cluster: LocalMediaCluster;
  readonly db: Database;
  readonly url: string;
  readonly #closers: Closer[];

  static async open(perMinute = { whip: 1_000, whep: 1_000 }): Promise<WebrtcServer> {
    const closers: Closer[] = [];
    const folder = await mkdtemp(join(tmpdir(), 'parley-webrtc-'));
    closers.push(['folder', () => rm(folder, { recursive: true, force: true, maxRetries: 5 })]);
    const { db, close } = await openDatabase({ dataDir: folder, logger: log });
    closers.push(['database', close]);
    const cluster = await openLocal();
    closers.push(['media', () => cluster.close()]);
    const stream = new OneStream(cluster);
    const node = await openNode({ db, cluster, stream }, perMinute);
    closers.push(['node', () => node.close()]);
    return new WebrtcServer({ db, cluster, stream }, node.url, closers);
  }

  private constructor(
    { db, cluster, stream }: { db: Database; cluster: LocalMediaCluster; stream: OneStream },
    url: string,
    closers: Closer[],
  ) {
    this.db = db;
    this.cluster = cluster;
    this.stream = stream;
    this.url = url;
    this.#closers = closers;
  }

  get whip(): string {
    return `${this.url}/whip`;
  }

  get whep(): string {
    return `${this.url}/whep/${this.stream.streamId}`;
  }

  /** Another node with the same database and media. */
  anotherNode(): Promise<WebrtcNode> {
    return openNode(this, { whip: 100, whep: 100 });
  }

  async close(): Promise<void> {
    await closeAll(this.#closers, log);
  }
}

const log = pino({ level: 'silent' });

async function openNode(
  { db, cluster, stream }: { db: Database; cluster: LocalMediaCluster; stream: OneStream },
  perMinute: { whip: number; whep: number },
): Promise<WebrtcNode> {
  const streaming = createWebrtcStreaming({
    db,
    cluster,
    doors: stream,
    createLimiter: memoryLimiters,
    turn: { urls: ['turn:turn.example.org:3478?transport=udp'], secret: 'shared', ttlSeconds: 60 },
    perMinute,
    log,
  });
  const app = express();
  app.use(requestLog(app, log));
  app.get(
    '/page',
    (_request, response) => void response.type('html').send('<!doctype html><title>page</title>'),
  );
  app.use(streaming.router);
  app.use(answerError);
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      await streaming.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
