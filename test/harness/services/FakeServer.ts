import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  method: string;
  /** Without the query string. */
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: string;
}

export interface FakeAnswer {
  status?: number;
  headers?: Record<string, string>;
  /** An object is sent as JSON. */
  body?: string | object;
}

/** A fake of a third party's API: an HTTP server on loopback that answers as the API's documentation says. */
export class FakeServer {
  readonly url: string;
  /** The requests so far, in order. */
  readonly received: Received[] = [];
  readonly #close: () => Promise<void>;

  private constructor(url: string, close: () => Promise<void>) {
    this.url = url;
    this.#close = close;
  }

  /** @param answer returns null to close the connection without an answer, or a promise that never settles to keep the client waiting */
  static async start(
    answer: (received: Received) => FakeAnswer | null | Promise<FakeAnswer | null>,
  ): Promise<FakeServer> {
    const take = async (request: IncomingMessage, response: ServerResponse) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://fake');
      const received = {
        method: request.method ?? '',
        path: decodeURIComponent(pathname),
        query: searchParams,
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      };
      fake.received.push(received);
      const given = await answer(received);
      if (!given) return void response.destroy();
      const { status = 200, headers = {}, body = '' } = given;
      const isText = typeof body === 'string';
      response.writeHead(status, isText ? headers : { 'content-type': 'application/json', ...headers });
      response.end(isText ? body : JSON.stringify(body));
    };
    // Some tests kill the client in the middle of its request.
    const server = createServer((request, response) => void take(request, response).catch(() => {}));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    const fake: FakeServer = new FakeServer(
      `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      async () => {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      },
    );
    return fake;
  }

  close(): Promise<void> {
    return this.#close();
  }
}
