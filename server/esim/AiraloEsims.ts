import type { z } from 'zod';
import type { WireEsimPackage } from '../../sdk/protocol/esim.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import {
  jsonOf,
  requestUpstream,
  retryAfterOf,
  upstreamBusy,
  upstreamError,
  type UpstreamReply,
} from '../outgoing/upstream.ts';
import * as wire from './airaloWire.ts';
import {
  EsimRefused,
  outOfStock,
  type EsimProfile,
  type EsimProvider,
  type EsimPurchase,
} from './EsimProvider.ts';

export interface AiraloOptions {
  /** https://partners-api.airalo.com */
  url: string;
  clientId: string;
  clientSecret: string;
  markupPercent: number;
}

type Request = Parameters<typeof requestUpstream>[2];

const name = 'Airalo';
const pageSize = 100;
const maxPages = 50;
/** The maximum number of pages that are searched for an order. */
const maxOrderPages = 5;
const tokenMarginMs = 60_000;

/**
 * The driver for Airalo's partner API, version 2. The API has no idempotency keys, but it stores a description with each order. We send our
 * reference as the description, so that an order can be found if its answer was lost.
 */
export class AiraloEsims implements EsimProvider {
  readonly name = 'airalo';
  readonly #options: AiraloOptions;
  #token: { value: string; until: number } | null = null;
  /** The request for a new token that is running. */
  #renewal: Promise<string> | null = null;

  constructor(options: AiraloOptions) {
    this.#options = options;
  }

  async packages(): Promise<WireEsimPackage[]> {
    const found: WireEsimPackage[] = [];
    for (let page = 1; page <= maxPages; page++) {
      const query = { limit: String(pageSize), page: String(page) };
      const { data, meta } = await this.#read('/v2/packages', query, wire.packages);
      found.push(...data.flatMap((area) => wire.packagesOf(area, this.#options.markupPercent)));
      if (data.length === 0 || page >= (meta?.last_page ?? 1)) break;
    }
    if (found.length === 0) throw upstreamError(name, 'has no package that can be sold here');
    return found;
  }

  async order({ reference, packageId, quantity, email }: EsimPurchase): Promise<EsimProfile[]> {
    const form = {
      package_id: packageId,
      quantity: String(quantity),
      type: 'sim',
      description: reference,
      ...(email === null ? {} : { to_email: email, 'sharing_option[]': 'link' }),
    };
    const reply = await this.#ask('/v2/orders', { method: 'POST', form, timeoutMs: 30_000 }, asRefusal);
    if (reply.status !== 200) throw orderError(reply);
    const { data } = parse(wire.submitted, reply);
    return profilesOf(data.sims, quantity);
  }

  async find(reference: string): Promise<EsimProfile[] | null> {
    for (let page = 1; page <= maxOrderPages; page++) {
      const query = { 'filter[description]': reference, limit: String(pageSize), page: String(page) };
      const { data, meta } = await this.#read('/v2/orders', query, wire.orders);
      const found = data.find(({ description }) => description === reference);
      if (found) {
        const include = { include: 'sims' };
        const order = await this.#read(`/v2/orders/${found.id}`, include, wire.submitted);
        return profilesOf(order.data.sims, Number(found.quantity));
      }
      if (data.length === 0 || page >= (meta?.last_page ?? 1)) break;
    }
    return null;
  }

  async #read<T extends z.ZodType>(path: string, query: Record<string, string>, schema: T) {
    const reply = await this.#ask(path, { query, maxBytes: 20_000_000 });
    if (reply.status === 429) throw upstreamBusy(name, retryAfterOf(reply.headers));
    if (reply.status !== 200) throw upstreamError(name, `answered ${reply.status}`);
    return parse(schema, reply);
  }

  /**
   * Sends a request with a token. If the token is refused, repeats the request with a new one.
   * @param onNoToken converts the error that is thrown if no token can be obtained, in which case the request is not sent
   */
  async #ask(path: string, request: Request, onNoToken = (error: unknown) => error): Promise<UpstreamReply> {
    let token = '';
    const ask = async () => {
      token = await this.#accessToken().catch((error: unknown) => {
        throw onNoToken(error);
      });
      const headers = { accept: 'application/json', authorization: `Bearer ${token}` };
      return requestUpstream({ name, url: this.#options.url, headers }, path, request);
    };
    const reply = await ask();
    if (reply.status !== 401) return reply;
    // Another request may have got a new token meanwhile.
    if (this.#token?.value === token) this.#token = null;
    return ask();
  }

  /**
   * Returns the cached token, or gets a new one for all requests that need it. A token is valid for a day, and Airalo issues at most three
   * per minute.
   */
  async #accessToken(): Promise<string> {
    if (this.#token && this.#token.until > performance.now()) return this.#token.value;
    return (this.#renewal ??= this.#newToken().finally(() => (this.#renewal = null)));
  }

  async #newToken(): Promise<string> {
    const { url, clientId, clientSecret } = this.#options;
    const form = { client_id: clientId, client_secret: clientSecret, grant_type: 'client_credentials' };
    const headers = { accept: 'application/json' };
    const reply = await requestUpstream({ name, url, headers }, '/v2/token', { method: 'POST', form });
    if (reply.status === 429) throw upstreamBusy(name, retryAfterOf(reply.headers));
    if (reply.status !== 200) throw upstreamError(name, `answered ${reply.status} instead of a token`);
    const { data } = parse(wire.token, reply);
    this.#token = {
      value: data.access_token,
      until: performance.now() + data.expires_in * 1_000 - tokenMarginMs,
    };
    return data.access_token;
  }
}

const asRefusal = (error: unknown) => (error instanceof ParleyError ? new EsimRefused(error) : error);

function parse<T extends z.ZodType>(schema: T, reply: UpstreamReply): z.output<T> {
  const parsed = schema.safeParse(jsonOf(name, reply));
  if (!parsed.success) throw upstreamError(name, 'sent an answer with an unexpected format', parsed.error);
  return parsed.data;
}

function profilesOf(sims: EsimProfile[], quantity: number): EsimProfile[] {
  if (sims.length !== quantity)
    throw upstreamError(name, `returned ${sims.length} eSIMs instead of ${quantity}`);
  return sims;
}

const soldOut = new Set([33, 34]);
/** The code of Airalo's "unexpected" error, which may occur before or after the sale. */
const unexpected = 53;

/** Converts the answer to a failed order into an error: EsimRefused only if it is certain that nothing was bought. */
function orderError(reply: UpstreamReply): Error {
  const { status } = reply;
  const failure = upstreamError(name, `answered ${status}`);
  if (status < 400 || status === 408 || status >= 500) return failure;
  if (status === 429) return new EsimRefused(upstreamBusy(name, retryAfterOf(reply.headers)));
  const code = wire.codeOf(reply.text);
  if (code === unexpected) return failure;
  if (code !== null && soldOut.has(code)) return new EsimRefused(outOfStock());
  return new EsimRefused(upstreamError(name, `refused the order (${status}, code ${code ?? 'none'})`));
}
