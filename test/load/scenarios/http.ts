import type { WireCreatedApiKey } from '../../../sdk/protocol/apiKeys.ts';
import { LoadWallet } from '../peers/LoadWallet.ts';
import { httpErrorOf } from '../report/httpErrorOf.ts';
import type { Measures } from '../report/Measures.ts';
import type { Run } from '../Run.ts';
import type { Scenario } from '../Scenario.ts';

/** Reads that any key may do. */
const paths = ['/account/credits', '/account'];
const answerLimitMs = 30_000;
const maxKeys = 100;
/** The share of a key's rate limit that is used. */
const usedShare = 0.9;

interface Key {
  secret: string;
  /** Revokes it and ends the session that made it. */
  close: () => Promise<void>;
}

/** Authenticated reads of the HTTP API, with the given key or with as many new ones as their rate limit requires. */
export const http: Scenario = {
  isWanted: (options) => options.http > 0,

  async run(run, measures) {
    const { apiKey, http: perSecond } = run.options;
    const keys = apiKey ? [{ secret: apiKey, close: () => Promise.resolve() }] : await newKeys(run, measures);
    const send = (index: number, dueAt: number) => {
      const key = keys[index % keys.length] as Key;
      const path = paths[Math.floor(index / keys.length) % paths.length] ?? '';
      return measures.attempt('HTTP read', () => read(run.url, path, key.secret), dueAt);
    };
    if (keys.length > 0) await run.atRate(perSecond, { measures, what: 'HTTP read' }, send);
    await Promise.all(keys.map((key) => key.close()));
  },
};

async function newKeys(run: Run, measures: Measures): Promise<Key[]> {
  const first = await newKey(run, measures);
  if (!first) return [];
  const perKey = await limitOf(run.url, first.secret).catch(() => Infinity);
  const wanted = Math.min(maxKeys, Math.ceil(run.options.http / (perKey * usedShare)));
  const others = await Promise.all(Array.from({ length: wanted - 1 }, () => newKey(run, measures)));
  return [first, ...others.filter((key) => key !== null)];
}

async function newKey(run: Run, measures: Measures): Promise<Key | null> {
  const wallet = await LoadWallet.signIn(run, measures, 'dashboard');
  if (!wallet) return null;
  const body = { name: 'Load test', expiresInDays: 1 };
  const key = await measures.attempt('API key', () =>
    wallet.http.request<WireCreatedApiKey>('POST', '/api-keys', body),
  );
  if (!key) {
    await wallet.close();
    return null;
  }
  const close = async () => {
    await wallet.http
      .request('DELETE', `/api-keys/${key.id}`)
      .catch((error: unknown) => measures.fail('API key revoked', error));
    await wallet.close();
  };
  return { secret: key.secret, close };
}

/** The requests per second that the server allows this key. */
async function limitOf(url: string, secret: string): Promise<number> {
  const response = await get(url, paths[0] ?? '', secret);
  await response.arrayBuffer();
  const [, points, seconds] = /q=(\d+);w=(\d+)/.exec(response.headers.get('ratelimit-policy') ?? '') ?? [];
  return points && seconds ? Number(points) / Number(seconds) : Infinity;
}

async function read(url: string, path: string, secret: string): Promise<true> {
  const response = await get(url, path, secret);
  const text = await response.text();
  if (response.ok) return true;
  throw httpErrorOf(response.status, text);
}

const get = (url: string, path: string, secret: string) =>
  fetch(`${url}/api/v1${path}`, {
    headers: { Authorization: `Bearer ${secret}` },
    signal: AbortSignal.timeout(answerLimitMs),
  });
