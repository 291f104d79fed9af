import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { z } from 'zod';
import { toIso } from '../../sdk/protocol/common.ts';
import { status, type WireStatus } from '../../sdk/protocol/status.ts';
import { serverVersion } from './serverVersion.ts';
import { RawAnswer } from '../http/RawAnswer.ts';
import { route, type Route } from '../http/Route.ts';

interface MetaDeps {
  routes: Route[];
  checks: Record<string, () => Promise<void>>;
  network: WireStatus['network'];
  /** The OpenAPI document. */
  document: () => Record<string, unknown>;
}

/** Public routes about the API itself. */
export function metaRoutes({ routes, checks, network, document }: MetaDeps): Route[] {
  const services = servicesOf(routes);
  let packed: { plain: Buffer; gzipped: Buffer } | null = null;
  return [
    route({
      credential: 'none',
      method: 'get',
      path: '/status',
      summary: 'Lists the services of this server and their state.',
      response: status,
      handle: async (): Promise<WireStatus> => ({
        status: (await allAnswer(checks)) ? 'operational' : 'degraded',
        version: serverVersion,
        time: toIso(new Date()),
        network,
        services,
      }),
    }),
    route({
      credential: 'none',
      method: 'get',
      path: '/openapi.json',
      summary: 'Returns the OpenAPI 3.1 document of this API.',
      response: z.record(z.string(), z.unknown()),
      handle: ({ request }) => {
        packed ??= pack(document());
        return inBestForm(packed, request.acceptsEncodings('gzip', 'identity') === 'gzip');
      },
    }),
  ];
}

function pack(document: Record<string, unknown>) {
  const plain = Buffer.from(JSON.stringify(document));
  return { plain, gzipped: gzipSync(plain) };
}

function inBestForm({ plain, gzipped }: { plain: Buffer; gzipped: Buffer }, zip: boolean): RawAnswer {
  const bytes = zip ? gzipped : plain;
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': bytes.length,
    Vary: 'Accept-Encoding',
    ...(zip ? { 'Content-Encoding': 'gzip' } : {}),
  };
  return new RawAnswer(200, headers, Readable.from([bytes]));
}

/** A service is a family of routes. It is available if at least one of its routes is served. */
function servicesOf(routes: Route[]): WireStatus['services'] {
  const services: WireStatus['services'] = {};
  for (const { path, handle, work, price } of routes) {
    const name = price?.service ?? path.split('/', 2)[1] ?? '';
    if (handle ?? work) services[name] = 'available';
    else services[name] ??= 'unavailable';
  }
  return services;
}

async function allAnswer(checks: MetaDeps['checks']): Promise<boolean> {
  const outcomes = await Promise.allSettled(Object.values(checks).map((check) => check()));
  return outcomes.every(({ status: outcome }) => outcome === 'fulfilled');
}
