import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

interface RpcRequest {
  id: number;
  method: string;
}

/** Decides how the proxy answers a request; null forwards it to the chain. */
export type Interceptor = (request: RpcRequest) => 'fail' | 'stall' | 'garbage' | { result: unknown } | null;

/** A proxy in front of a chain's RPC that can fail, stall or return false results. */
export class RpcProxy {
  /** The number of requests so far, by method. */
  readonly requestCounts = new Map<string, number>();
  readonly #server: Server;
  readonly #stalled = new Set<ServerResponse>();
  #intercept: Interceptor = () => null;

  static async create(target: string): Promise<RpcProxy> {
    const proxy = new RpcProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  private constructor(target: string) {
    this.#server = createServer((request, response) => {
      void text(request).then((body) => this.#answer(target, body, response));
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  intercept(interceptor: Interceptor): void {
    this.#intercept = interceptor;
  }

  forwardAll(): void {
    this.#intercept = () => null;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(target: string, body: string, response: ServerResponse): Promise<void> {
    const request = JSON.parse(body) as RpcRequest;
    this.requestCounts.set(request.method, (this.requestCounts.get(request.method) ?? 0) + 1);
    const outcome = this.#intercept(request);
    if (outcome === 'stall') return void this.#stalled.add(response);
    if (outcome === 'fail') return void response.writeHead(503).end('out of order');
    if (outcome === 'garbage') return void response.writeHead(200).end('<html>');
    if (outcome) return void response.end(JSON.stringify({ jsonrpc: '2.0', id: request.id, ...outcome }));
    const headers = { 'Content-Type': 'application/json' };
    const answer = await fetch(target, { method: 'POST', headers, body });
    response.writeHead(answer.status, headers).end(await answer.text());
  }
}
