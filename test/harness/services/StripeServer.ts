import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import express from 'express';
import Stripe from 'stripe';
import { freePorts } from '../nodes/ports.ts';
import { StripeState, type StoredEvent } from './StripeState.ts';

export const stripeKey = 'sk_test_parley';
export const webhookSecret = 'whsec_of_the_tests';

/** The official library, used only to sign webhooks. */
const library = new Stripe(stripeKey);

/**
 * A fake of Stripe's API as documented, as far as Parley uses it: form-encoded requests, expanded objects, errors and Idempotency-Key.
 * It also sends webhooks, signed by the official library and repeated until they are accepted. Actions of customers and banks are
 * methods of `state`.
 */
export class StripeServer {
  readonly url: string;
  readonly state = new StripeState();
  /** The requests so far, for example `POST /v1/customers`. */
  readonly requests: string[] = [];
  /** Matching requests wait for this promise, so that tests can kill the server while it waits for the answer. */
  hold: { matches: (request: string) => boolean; until: Promise<void> } | null = null;
  /** Answers every request with this status, as if Stripe were down. */
  failing: number | null = null;
  readonly #answers = new Map<string, { fingerprint: string; answer: Answer }>();
  readonly #server: Server;

  static async start(): Promise<StripeServer> {
    const port = await freePorts();
    const server = new StripeServer(port);
    await new Promise<void>((resolve) => server.#server.listen(port, '127.0.0.1', resolve));
    return server;
  }

  private constructor(port: number) {
    this.url = `http://127.0.0.1:${port}`;
    const app = express();
    app.use(express.urlencoded({ extended: true }));
    app.set('query parser', 'extended');
    app.use((request, response) => void this.#serve(request, response));
    this.#server = createServer(app);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Sends an event once. @returns the status, or 0 if the server did not answer */
  async send(
    event: StoredEvent,
    to: string,
    over: { payload?: string; header?: string } = {},
  ): Promise<number> {
    const payload = JSON.stringify(event, null, 2);
    const header =
      over.header ?? library.webhooks.generateTestHeaderString({ payload, secret: webhookSecret });
    return fetch(`${to}/api/v1/stripe/webhook`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json; charset=utf-8', 'Stripe-Signature': header },
      body: over.payload ?? payload,
    }).then(
      (response) => response.status,
      () => 0,
    );
  }

  /** Repeats each event until it is accepted, as Stripe does, with shorter pauses. */
  async deliver(to: string, events = this.state.takeEvents(), limitMs = 45_000): Promise<void> {
    const deadline = Date.now() + limitMs;
    for (const event of events) {
      while ((await this.send(event, to)) !== 200) {
        if (Date.now() > deadline) throw new Error(`${event.type} was not accepted`);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }

  async #serve(request: StripeRequest, response: ServerResponse): Promise<void> {
    const name = `${request.method} ${request.path}`;
    this.requests.push(name);
    if (this.hold?.matches(name)) await this.hold.until;
    const { status, body } = this.#answer(request);
    response.writeHead(status, {
      'Content-Type': 'application/json',
      'Request-Id': `req_${this.requests.length}`,
    });
    response.end(JSON.stringify(body));
  }

  #answer(request: StripeRequest): Answer {
    if (this.failing) return error(this.failing, 'api_error', 'Stripe is down');
    const { authorization } = request.headers;
    if (authorization !== `Bearer ${stripeKey}`)
      return error(401, 'invalid_request_error', 'Invalid API Key');
    const key = request.headers['idempotency-key'];
    if (request.method !== 'POST' || typeof key !== 'string') return this.#run(request);
    const fingerprint = JSON.stringify([request.path, request.body]);
    const earlier = this.#answers.get(key);
    if (earlier && earlier.fingerprint !== fingerprint)
      return error(
        400,
        'idempotency_error',
        'Keys for idempotent requests can only be used with the same parameters',
      );
    const answer = earlier?.answer ?? this.#run(request);
    this.#answers.set(key, { fingerprint, answer });
    return answer;
  }

  #run({ method, path, body = {}, query }: StripeRequest): Answer {
    const [, , ...parts] = path.split('/');
    const fields = method === 'GET' ? query : body;
    const { customer } = fields;
    if (typeof customer === 'string' && !this.state.has(customer)) {
      const message = `No such customer: '${customer}'`;
      return error(400, 'invalid_request_error', message, { code: 'resource_missing', param: 'customer' });
    }
    const found = this.state.answer(`${method} ${parts.join('/')}`, fields);
    if (found) return { status: 200, body: found };
    return error(404, 'invalid_request_error', `No such resource: ${path}`, { code: 'resource_missing' });
  }
}

interface Answer {
  status: number;
  body: unknown;
}

type Fields = Record<string, unknown>;
type StripeRequest = IncomingMessage & { path: string; body?: Fields; query: Fields };

const error = (
  status: number,
  type: string,
  message: string,
  more: { code?: string; param?: string } = {},
): Answer => ({ status, body: { error: { type, message, ...more } } });
