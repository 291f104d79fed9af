import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';
import type { Settings } from '../nodes/ServerProcess.ts';

/** An independent implementation of S3 (npm's s3rver) on loopback, with one bucket. */
export class S3Server {
  readonly url: string;
  readonly #server: Server;
  /** The sizes of the uploads it received, in bytes: one per PUT request. */
  readonly pieces: number[] = [];
  /** While true, it answers every request with 503. */
  isAway = false;
  readonly #folder: string;

  static async start(): Promise<S3Server> {
    const folder = await mkdtemp(join(tmpdir(), 'parley-s3-'));
    const s3 = new S3rver({
      silent: true,
      directory: folder,
      configureBuckets: [{ name: 'files', configs: [] }],
    });
    await s3.configureBuckets();
    // Unlike s3rver's own HTTP server, this one can be closed while clients keep their connections.
    const answer = s3.callback();
    const server = createServer((request, response) => {
      if (made.isAway) response.writeHead(503).end();
      else void answer(request, response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const made: S3Server = new S3Server(server, folder, (server.address() as AddressInfo).port);
    return made;
  }

  private constructor(server: Server, folder: string, port: number) {
    this.#server = server;
    this.#folder = folder;
    server.on('request', ({ method, headers }) => {
      if (method === 'PUT') this.pieces.push(Number(headers['content-length']));
    });
    this.url = `http://127.0.0.1:${port}`;
  }

  /** The settings a Parley server needs to use it. */
  get settings(): Settings {
    return {
      S3_ENDPOINT: this.url,
      S3_BUCKET: 'files',
      S3_ACCESS_KEY_ID: 'S3RVER',
      S3_SECRET_ACCESS_KEY: 'S3RVER',
    };
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
