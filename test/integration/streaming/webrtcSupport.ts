import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import { pino } from 'pino';
import type { LocalMediaCluster } from '../../../media/cluster/LocalMediaCluster.ts';
import type { MediaCluster } from '../../../media/MediaCluster.ts';
import { openLocal } from '../../harness/media/mediaFixtures.ts';
import { closeAll, type Closer } from '../../../platform/Closer.ts';
import { openDatabase, type Database } from '../../../platform/database/database.ts';
import { answerError } from '../../../server/http/errors.ts';
import { requestLog } from '../../../server/http/requestLog.ts';
import { createWebrtcStreaming } from '../../../server/streaming/webrtc/createWebrtcStreaming.ts';
import { memoryLimiters } from '../../../platform/limits/limiters.ts';
import { LimitFactory } from '../../../platform/limits/Limits.ts';
import { turnUrlsOf } from '../../../signaling/media/TurnServers.ts';
import { copyDatabaseTemplate } from '../../harness/nodes/databaseTemplate.ts';
import { FakeStreamGateway } from '../../harness/media/FakeStreamGateway.ts';

export interface WebrtcNode {
  url: string;
  close(): Promise<void>;
}

interface OpenOptions {
  perMinute?: { whip: number; whep: number };
  media?: Parameters<typeof openLocal>[0];
}

/** WHIP and WHEP with real HTTP, media and PostgreSQL, in this process. */
export class WebrtcServer {
  readonly stream: FakeStreamGateway;
  readonly cluster: LocalMediaCluster;
  readonly db: Database;
  readonly url: string;
  readonly #closers: Closer[];

  static async open({
    perMinute = { whip: 1_000, whep: 1_000 },
    media = {},
  }: OpenOptions = {}): Promise<WebrtcServer> {
    const closers: Closer[] = [];
    const folder = await mkdtemp(join(tmpdir(), 'parley-webrtc-'));
    closers.push(['folder', () => rm(folder, { recursive: true, force: true, maxRetries: 5 })]);
    await copyDatabaseTemplate(folder);
    const { db, close } = await openDatabase({ dataDir: folder, logger: log });
    closers.push(['database', close]);
    const cluster = await openLocal(media);
    closers.push(['media', () => cluster.close()]);
    const stream = new FakeStreamGateway(cluster);
    stream.isGated = false;
    const node = await openNode({ db, cluster, stream }, perMinute);
    closers.push(['node', () => node.close()]);
    return new WebrtcServer({ db, cluster, stream }, node.url, closers);
  }

  private constructor(
    { db, cluster, stream }: { db: Database; cluster: LocalMediaCluster; stream: FakeStreamGateway },
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
    return `${this.url}/whep/${this.stream.playbackId}`;
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

const turnOf = (host: string, media: string) => ({
  turn: { urls: [`turn:${host}.example.org:3478?transport=udp`], media: [media] },
});
/** Nodes with a TURN server each. The media of the tests runs on the second one. */
const turnNodes = [turnOf('far', '192.0.2.1'), turnOf('turn', '127.0.0.1')];

/** Serves the WHIP and WHEP routes on a separate port. */
export async function openNode(
  { db, cluster, stream }: { db: Database; cluster: MediaCluster; stream: FakeStreamGateway },
  perMinute: { whip: number; whep: number },
): Promise<WebrtcNode> {
  const streaming = createWebrtcStreaming({
    db,
    cluster,
    gateway: stream,
    limitFactory: new LimitFactory(memoryLimiters),
    turn: {
      urls: (media) => turnUrlsOf(turnNodes, media),
      secret: () => 'shared',
      ttlSeconds: 60,
    },
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
      await streaming.sessions.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
