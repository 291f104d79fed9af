import type { PrivateKeyAccount } from 'viem';
import type { Address } from '../../../sdk/protocol/common.ts';
import { idOf, timeOf } from './fill.ts';

/** An answer of the server: the fields that operations read from it. */
export type Answer = Record<string, unknown> & { id: string };

/** Sends a request of the HTTP API; a body that is a buffer is sent as it is. @throws Error if it is refused */
export type SendHttp = (
  method: string,
  path: string,
  body?: object,
  headers?: Record<string, string>,
) => Promise<Answer>;

/** Sends a request over a socket. @throws Error if it is refused */
export type SendRequest = (name: string, payload?: object) => Promise<Answer>;

/** What the operations run with. */
export interface Session {
  /** With a key of the heavy account that has all scopes. */
  api: SendHttp;
  /** With the session of the dashboard, which is an operator's. */
  dashboard: SendHttp;
  /** Without credentials, except those in the given headers. */
  anyone: SendHttp;
  /** Over the socket of the heavy wallet. */
  ask: SendRequest;
  /** Over the socket of another wallet, which has no rows of its own. */
  peer: SendRequest;
  peerWallet: Address;
  /** Waits for the next event of this name that the peer gets. */
  peerHears: (event: string) => Promise<unknown>;
  /** Pays what a page of Stripe asks for, and delivers the events of that. */
  customerPays: (url: string) => Promise<unknown>;
  /** Makes a scheduled job due, and waits until it has run. */
  runJob: (kind: string) => Promise<void>;
  url: string;
  /** The heavy wallet, and the token of its session. */
  account: PrivateKeyAccount;
  token: string;
  rows: number;
}

export interface Operation {
  name: string;
  group: 'lists over HTTP' | 'writes over HTTP' | 'lists by socket' | 'writes by socket' | 'periodic work';
  /** Whether to count all statements, also those that the server runs by itself or later. @default false */
  countsAll?: boolean;
  run: (session: Session) => Promise<unknown>;
}

/** A list over HTTP, of which the first page is read. Ids in the path may depend on the number of rows. */
export const list = (path: string | ((rows: number) => string), name = ''): Operation => ({
  name: name || `GET ${String(path)}`,
  group: 'lists over HTTP',
  run: (session) => {
    const asked = typeof path === 'string' ? path : path(session.rows);
    return session[isForPeople(asked) ? 'dashboard' : 'api']('GET', asked);
  },
});

/** The last page of a list. @param cursor where the page begins */
export const last = (
  path: string | ((rows: number) => string),
  cursor: (rows: number) => string,
  name = '',
): Operation =>
  list(
    (rows) => {
      const asked = typeof path === 'string' ? path : path(rows);
      const encoded = Buffer.from(`v1:${cursor(rows)}`).toString('base64url');
      return `${asked}${asked.includes('?') ? '&' : '?'}cursor=${encoded}`;
    },
    `GET ${name || String(path)}, last page`,
  );

/** Whether a route needs a session: keys may not use it. */
const isForPeople = (path: string) =>
  /^.(operator|audit-logs|api-keys|account.(payments|identities|export|deletion))/.test(path);

export const write = (method: string, path: string, body: () => object = () => ({})): Operation => ({
  name: `${method} ${path}`,
  group: 'writes over HTTP',
  run: ({ api }) => api(method, path, body()),
});
export const writes = (name: string, run: Operation['run']): Operation => ({
  name,
  group: 'writes over HTTP',
  run,
});
export const read = (name: string, payload: object = {}, note = ''): Operation => ({
  name: `${name}${note && `, ${note}`}`,
  group: 'lists by socket',
  run: ({ ask }) => ask(name, payload),
});
/** A request whose fields depend on the number of rows. */
export const readAt = (name: string, payload: (rows: number) => object, note = ''): Operation => ({
  ...read(name, {}, note),
  run: ({ ask, rows }) => ask(name, payload(rows)),
});
export const change = (name: string, run: Operation['run']): Operation => ({
  name,
  group: 'writes by socket',
  run,
});

/** Where the last page of a list begins whose cursors are a time and an id: the heavy account has half of the 120 older rows. */
export const place = (rows: number) => `${timeOf(120, rows)}:${idOf('x', rows)}`;
/** The same of a list whose cursors are numbers. */
export const seq = () => '60';
/** The latest room, whose chat is full. */
export const latestRoom = (rows: number) => idOf('room', rows / 5);
/** The latest stream of the heavy wallet. */
export const latestStream = (rows: number) => idOf('str', rows / 10);

/** Numbers of rows of the heavy account that were not used yet, for writes that cannot be undone. The lists begin at the other end. */
export function unused(prefix: string, from: number): () => string {
  let number = from;
  return () => idOf(prefix, (number += 2));
}
