import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { until } from '../until.ts';

export interface Received {
  at: number;
  path: string;
  headers: IncomingHttpHeaders;
  /** The body as received. */
  text: string;
  body: { type: string; timestamp: string; data: Record<string, unknown> };
}

type Respond = (response: ServerResponse, received: Received) => void;

/** A customer's server that receives webhooks, on this machine. */
export class WebhookReceiver {
  readonly received: Received[] = [];
  readonly #server: Server;
  /** Answers a webhook. The default answer is 204. */
  respond: Respond = (response) => response.writeHead(204).end();
  connections = 0;

  static async start(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const { url: path = '', headers } = request;
        const received = { at: Date.now(), path, headers, text, body: JSON.parse(text) as Received['body'] };
        this.received.push(received);
        this.respond(response, received);
      });
    });
    this.#server.on('connection', () => this.connections++);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }

  answer(status: number, headers: Record<string, string> = {}, body = ''): void {
    this.respond = (response) => response.writeHead(status, headers).end(body);
  }

  of(type: string): Received[] {
    return this.received.filter(({ body }) => body.type === type);
  }

  /** Waits until this many webhooks have arrived. */
  async wait(count: number, type?: string, limitMs?: number): Promise<Received[]> {
    const found = () => (type === undefined ? this.received : this.of(type));
    await until(() => found().length >= count, `${count} webhooks ${type ?? ''}`, limitMs);
    return found();
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** Verifies a signature with an independent library. @throws if it is wrong */
export const verify = (secret: string, { text, headers }: Received): unknown =>
  new Webhook(secret).verify(text, headers as Record<string, string>);
