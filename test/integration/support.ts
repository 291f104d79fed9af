import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import jwt from 'jsonwebtoken';
import { io, type Socket } from 'socket.io-client';
import type { PrivateKeyAccount } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { ErrorBody } from '../../sdk/protocol/errors.ts';
import type { WireSession } from '../../sdk/protocol/session.ts';
import { protocolVersion } from '../../sdk/protocol/version.ts';
import { loadSecrets } from '../../platform/secrets.ts';

/* Helpers for what a custom client can do but the SDK does not: requests and messages of any form. */

export interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** The body parsed as JSON; empty if it is not JSON. */
  body: Record<string, unknown>;
}

interface Asked {
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as is. */
  raw?: string | Buffer;
  headers?: Record<string, string>;
}

/** Sends a request without fetch(), which adds headers of its own and does not let callers set Host and Origin. */
export function ask(url: string, method: string, path: string, asked: Asked = {}): Promise<Reply> {
  const { hostname, port } = new URL(url);
  const payload = asked.raw ?? (asked.body === undefined ? undefined : JSON.stringify(asked.body));
  const headers = {
    ...(payload === undefined
      ? {}
      : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(payload) }),
    ...asked.headers,
  };
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: parse(text) });
      });
    });
    sent.on('error', reject);
    sent.end(payload);
  });
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

export const newWallet = () => privateKeyToAccount(generatePrivateKey());

export async function nonceOf(url: string): Promise<string> {
  const { body } = await ask(url, 'GET', '/api/v1/auth/nonce');
  return body.nonce as string;
}

export interface MessageFields {
  /** Origin of the page that signs in; `domain` and `uri` default to it. */
  origin: string;
  domain: string;
  uri: string;
  address: string;
  version: string;
  chainId: number;
  nonce: string;
  issuedAt: string;
  statement: string;
  /** Further lines, appended to the message. */
  end: string;
}

/** The body of a request to /auth/verify. */
export interface SignedMessage {
  walletAddress: string;
  signature: string;
  message: string;
}

export async function signedMessage(
  url: string,
  account: PrivateKeyAccount = newWallet(),
  over: Partial<MessageFields> = {},
): Promise<SignedMessage> {
  const origin = over.origin ?? url;
  const fields = {
    domain: new URL(origin).host,
    uri: origin,
    address: account.address,
    version: '1',
    chainId: 1,
    nonce: over.nonce ?? (await nonceOf(url)),
    issuedAt: new Date().toISOString(),
    end: '',
    statement: 'Sign in.',
    ...over,
  };
  const message = `${fields.domain} wants you to sign in with your Ethereum account:
${fields.address}

${fields.statement}

URI: ${fields.uri}
Version: ${fields.version}
Chain ID: ${fields.chainId}
Nonce: ${fields.nonce}
Issued At: ${fields.issuedAt}${fields.end}`;
  return { walletAddress: account.address, message, signature: await account.signMessage({ message }) };
}

export const verify = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  ask(url, 'POST', '/api/v1/auth/verify', { body, headers });
export const refresh = (url: string, refreshToken: string) =>
  ask(url, 'POST', '/api/v1/auth/refresh', { body: { refreshToken } });
export const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

/** Signs in with a wallet and returns the new session. */
export async function signIn(url: string, account = newWallet(), more: object = {}): Promise<WireSession> {
  const reply = await verify(url, { ...(await signedMessage(url, account)), ...more });
  if (reply.status !== 200) throw new Error(`sign-in: ${reply.text}`);
  return reply.body as unknown as WireSession;
}

/** Returns a function that changes the claims of a token and signs it with the key of the server that uses `dataDir`. */
export async function tokenForger(dataDir: string) {
  const key = (await loadSecrets({ DATA_DIR: dataDir })).derive('session tokens');
  return (token: string, over: object = {}, options: { key?: Buffer; algorithm?: jwt.Algorithm } = {}) => {
    const claims = { ...(jwt.decode(token) as object), ...over };
    return jwt.sign(claims, options.key ?? key, { algorithm: options.algorithm ?? 'HS256' });
  };
}

export const secretKeyOf = (dataDir: string) => readFile(join(dataDir, 'secret.key'), 'utf8');

const open = new Set<Socket>();

/** A bare Socket.IO client, which does not reconnect. */
export function socket(url: string, auth: object, more: object = {}): Socket {
  const made = io(url, { transports: ['websocket'], forceNew: true, reconnection: false, auth, ...more });
  open.add(made);
  return made;
}

export function closeSockets(...except: Socket[]): void {
  for (const each of open) {
    if (except.includes(each)) continue;
    each.disconnect();
    open.delete(each);
  }
}

/** Waits for the connection. Resolves to the error of `connect_error`, or to null once connected. */
export function refusal(of: Socket): Promise<(Error & { data?: ErrorBody }) | null> {
  return new Promise((resolve) => {
    of.once('connect', () => resolve(null));
    of.once('connect_error', resolve);
  });
}

export async function connected(url: string, token: string): Promise<Socket> {
  const made = socket(url, { token, protocolVersion });
  const refused = await refusal(made);
  if (refused) throw refused;
  return made;
}

export type RawAnswer = { ok: true; data: unknown } | { ok: false; error: ErrorBody };

/** Sends any event and waits for the answer. */
export const send = (to: Socket, name: string, ...args: unknown[]): Promise<RawAnswer> =>
  to.timeout(45_000).emitWithAck(name, ...args) as Promise<RawAnswer>;

/** Sends an event and returns the error code of its answer, or `ok` if it succeeded. */
export async function code(to: Socket, name: string, ...args: unknown[]): Promise<string> {
  const answer = await send(to, name, ...args);
  return answer.ok ? 'ok' : answer.error.code;
}

/** Waits for the next event of this name. */
export function next<T>(of: Socket, name: string, limitMs = 20_000): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no ${name} within ${limitMs} ms`)), limitMs);
    of.once(name, (payload: T) => {
      clearTimeout(timer);
      resolve(payload);
    });
  });
}
