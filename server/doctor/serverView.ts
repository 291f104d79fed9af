import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { RequestHandler } from 'express';
import { z } from 'zod';
import type { Keys } from '../../platform/keys.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { isSignatureOf, signatureOf } from '../../platform/signature.ts';
import type { MediaProbe } from '../../media/router/MediaProbes.ts';
import { doctorHeader } from '../http/requestLog.ts';

/* How `npm run doctor` asks the running server what it sees. Both know SECRET_KEY. */

const path = '/doctor';
/** How old a request may be. It covers clocks that differ between the doctor's machine and the server's. */
const validMs = 5 * 60_000;
const answerLimitMs = 8_000;
const maxAnswer = 64 * 1024;

const viewSchema = z.object({
  pid: z.number(),
  nodeId: z.string(),
  /** The address that the server takes for the client's. */
  client: z.string(),
  /** The address of the connection. */
  connection: z.string(),
  forwardedFor: z.array(z.string()),
  /** Whether the server takes the request for https. */
  secure: z.boolean(),
  probes: z.array(
    z.object({
      worker: z.number(),
      iceParameters: z.object({ usernameFragment: z.string(), password: z.string() }),
      iceCandidates: z.array(
        z.object({ address: z.string(), port: z.number(), protocol: z.enum(['udp', 'tcp']) }),
      ),
    }),
  ),
});
export type ServerView = z.output<typeof viewSchema>;

const keysOf = (secrets: Secrets) => secrets.keys('doctor');

/** Answers the doctor, and nobody else: others get 404. */
export function doctorRoute(
  secrets: Secrets,
  { nodeId, probes }: { nodeId: () => string; probes: () => Promise<MediaProbe[]> },
): RequestHandler {
  const keys = keysOf(secrets);
  return async (request, response, next) => {
    if (request.path !== path || !isSigned(keys, request.get(doctorHeader))) return next();
    const given = request.headers['x-forwarded-for'];
    const view: ServerView = {
      pid: process.pid,
      nodeId: nodeId(),
      client: request.ip ?? '',
      connection: request.socket.remoteAddress ?? '',
      forwardedFor: [given ?? []]
        .flat()
        .flatMap((text) => text.split(','))
        .map((text) => text.trim()),
      secure: request.secure,
      probes: await probes().catch(() => []),
    };
    response.set('Cache-Control', 'no-store').json(view);
  };
}

function isSigned(keys: Keys, given: string | undefined): boolean {
  const [at = '', signature = ''] = (given ?? '').split('.');
  return Math.abs(Date.now() - Number(at)) <= validMs && isSignatureOf(keys, at, signature);
}

export interface Asked {
  status: number;
  /** The server's clock or that of the proxy in front of it, with a resolution of one second; null without the header. */
  date: Date | null;
  /** Null if the answer is not from a server with the same SECRET_KEY. */
  view: ServerView | null;
}

/**
 * Asks the server at an address. Certificates are not checked here.
 * @param forwardedFor an X-Forwarded-For as a client could make it up
 * @throws Error if nothing answers
 */
export async function askServer(url: string, secrets: Secrets, forwardedFor?: string): Promise<Asked> {
  const at = String(Date.now());
  const headers = {
    [doctorHeader]: `${at}.${signatureOf(keysOf(secrets), at)}`,
    ...(forwardedFor ? { 'X-Forwarded-For': forwardedFor } : {}),
  };
  const send = url.startsWith('https:') ? requestHttps : requestHttp;
  const options = { headers, rejectUnauthorized: false, agent: false, timeout: answerLimitMs };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = send(new URL(path, url), options, resolve);
    request.on('timeout', () => request.destroy(new Error(`no answer within ${answerLimitMs / 1_000} s`)));
    request.on('error', reject).end();
  });
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) {
    text += String(chunk);
    if (text.length > maxAnswer) break;
  }
  response.destroy();
  const { date } = response.headers;
  return {
    status: response.statusCode ?? 0,
    date: date ? new Date(date) : null,
    view: response.statusCode === 200 ? readView(text) : null,
  };
}

function readView(text: string): ServerView | null {
  try {
    return viewSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
