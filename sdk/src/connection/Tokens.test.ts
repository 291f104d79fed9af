import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Address } from '../../protocol/address.ts';
import { StoredItems } from '../platform/StoredItems.ts';
import { Tokens } from './Tokens.ts';
import type { Session } from '../types.ts';

const sessionOf = (name: string): Session => ({
  token: `token of ${name}`,
  refreshToken: `rt of ${name}`,
  walletAddress: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  walletId: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  network: 'mainnet',
  chainId: 1,
  createdAt: new Date('2026-01-01T00:00:00.000Z'),
  expiresAt: new Date('2026-01-01T01:00:00.000Z'),
});

function memory() {
  const items = new Map<string, string>();
  return new StoredItems({
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  });
}

/** Like React Native's AsyncStorage. Each call takes a moment, and later ones may overtake earlier ones. */
function asyncMemory(items = new Map<string, string>()) {
  let calls = 0;
  const later = <T>(run: () => T) => delay(calls++ % 2 === 0 ? 4 : 1).then(run);
  return new StoredItems({
    getItem: (key: string) => later(() => items.get(key) ?? null),
    setItem: (key: string, value: string) => later(() => void items.set(key, value)),
    removeItem: (key: string) => later(() => void items.delete(key)),
  });
}

const storageKey = 'parley.session http://127.0.0.1';

/** A client whose renewal waits until `answer` is called. */
async function renewingTokens() {
  let answer: (session: Session) => void = () => {};
  const refresh = vi.fn(() => new Promise<Session>((resolve) => (answer = resolve)));
  const tokens = new Tokens({ refresh, storageKey });
  tokens.use(sessionOf('first'));
  const renewing = tokens.renew();
  await vi.waitUntil(() => refresh.mock.calls.length === 1);
  return { tokens, renewing, answer };
}

describe('tokens', () => {
  it('uses a refresh token once for concurrent renewals', async () => {
    const refresh = vi.fn(() => Promise.resolve(sessionOf('second')));
    const tokens = new Tokens({ refresh, storageKey });
    tokens.use(sessionOf('first'));
    expect(await Promise.all([tokens.renew(), tokens.renew()])).toEqual([
      'token of second',
      'token of second',
    ]);
    expect(refresh).toHaveBeenCalledExactlyOnceWith('rt of first');
  });

  it('renews in a page to which the browser gives no lock', async () => {
    const request = () => Promise.reject(new DOMException('denied', 'SecurityError'));
    vi.stubGlobal('navigator', { locks: { request } });
    onTestFinished(() => void vi.unstubAllGlobals());
    const { renewing, answer } = await renewingTokens();
    answer(sessionOf('second'));
    expect(await renewing).toBe('token of second');
  });

  it('ends a renewal during which the user signs out, also for other tabs', async () => {
    const running = new Map<string, Promise<unknown>>();
    const request = (name: string, run: () => Promise<unknown>) => {
      const result = (running.get(name) ?? Promise.resolve()).then(run);
      running.set(
        name,
        result.catch(() => {}),
      );
      return result;
    };
    vi.stubGlobal('navigator', { locks: { request } });
    onTestFinished(() => void vi.unstubAllGlobals());
    const { tokens, renewing, answer } = await renewingTokens();
    tokens.forget();
    answer(sessionOf('second'));
    await expect(renewing).rejects.toMatchObject({ code: 'AUTHENTICATION_REQUIRED' });
    expect(tokens.session).toBeNull();
    const other = new Tokens({ refresh: () => Promise.resolve(sessionOf('third')), storageKey });
    other.use(sessionOf('other'));
    expect(await other.renew()).toBe('token of third');
  });

  it('returns the token of a sign-in that happens during a renewal', async () => {
    const { tokens, renewing, answer } = await renewingTokens();
    tokens.use(sessionOf('new'));
    answer(sessionOf('second'));
    expect(await renewing).toBe('token of new');
    expect(tokens.session).toEqual(sessionOf('new'));
  });

  it('uses the session another tab has refreshed', async () => {
    const storage = memory();
    const refresh = vi.fn(() => Promise.resolve(sessionOf('second')));
    const [one, other] = [
      new Tokens({ refresh, storage, storageKey }),
      new Tokens({ refresh, storage, storageKey }),
    ];
    one.use(sessionOf('first'));
    other.use(sessionOf('first'));
    await one.renew();
    expect(await other.renew()).toBe('token of second');
    expect(refresh).toHaveBeenCalledOnce();
  });

  it('uses the session another tab has refreshed during a suspension, even if it is visible late', async () => {
    vi.useFakeTimers();
    vi.stubGlobal('navigator', { locks: { request: (_: string, run: () => unknown) => run() } });
    onTestFinished(() => {
      vi.useRealTimers();
      vi.unstubAllGlobals();
    });
    const storage = memory();
    const refresh = vi.fn(() => Promise.resolve(sessionOf('third')));
    const tokens = new Tokens({ refresh, storage, storageKey });
    tokens.use(sessionOf('first'));
    const renewing = tokens.renew();
    vi.setSystemTime(Date.now() + 60_000);
    await vi.advanceTimersToNextTimerAsync();
    storage.set(storageKey, JSON.stringify(sessionOf('second')));
    await vi.advanceTimersToNextTimerAsync();
    expect(await renewing).toBe('token of second');
    expect(refresh).not.toHaveBeenCalled();
  });

  describe('in a tab while another one signs in to another account', () => {
    const wallet = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
    const tokenOf = (acc: string, name: string) => `x.${btoa(JSON.stringify({ acc, name }))}.x`;
    const own = (name: string, walletId: Address | null = sessionOf('').walletId): Session =>
      ({ ...sessionOf(name), walletId, token: tokenOf('acc_own', name) }) as Session;
    const others = { ...sessionOf('another'), walletId: wallet, token: tokenOf('acc_other', '') } as const;
    const stored = async (storage: StoredItems) =>
      JSON.parse((await storage.get(storageKey)) ?? 'null') as unknown;
    const asStored = (session: Session) => JSON.parse(JSON.stringify(session)) as unknown;

    it('keeps its own session, and leaves the stored one as it is', async () => {
      const storage = memory();
      const refresh = vi.fn(() => Promise.resolve(own('second')));
      const tokens = new Tokens({ refresh, storage, storageKey });
      tokens.use(own('first'));
      new Tokens({ refresh, storage, storageKey }).use(others);
      expect(await tokens.renew()).toBe(own('second').token);
      expect(refresh).toHaveBeenCalledExactlyOnceWith('rt of first');
      expect(tokens.session).toEqual(own('second'));
      expect(await stored(storage)).toEqual(asStored(others));
    });

    it('leaves a session as it is that is stored during the renewal', async () => {
      const storage = memory();
      const signIn = () => new Tokens({ refresh, storage, storageKey }).use(others);
      const refresh = () => {
        signIn();
        return Promise.resolve(own('second'));
      };
      const tokens = new Tokens({ refresh, storage, storageKey, wallet: sessionOf('').walletAddress });
      tokens.use(own('first'));
      expect(await tokens.renew()).toBe(own('second').token);
      expect(await stored(storage)).toEqual(asStored(others));
    });

    it('still uses a session of its account to which a wallet was linked', async () => {
      const storage = memory();
      const refresh = vi.fn(() => Promise.resolve(own('third')));
      const tokens = new Tokens({ refresh, storage, storageKey });
      tokens.use(own('first', null));
      new Tokens({ refresh, storage, storageKey }).use(own('second', wallet));
      expect(await tokens.renew()).toBe(own('second').token);
      expect(refresh).not.toHaveBeenCalled();
    });
  });

  it('restores the stored session with its dates', () => {
    const storage = memory();
    const refresh = () => Promise.reject(new Error('unexpected refresh'));
    new Tokens({ refresh, storage, storageKey }).use(sessionOf('first'));
    expect(new Tokens({ refresh, storage, storageKey }).session).toEqual(sessionOf('first'));
    expect(new Tokens({ refresh, storage, storageKey: 'another server' }).session).toBeNull();
  });

  it('restores the session of an asynchronous storage, for which requests wait', async () => {
    const items = new Map<string, string>();
    const refresh = () => Promise.resolve(sessionOf('third'));
    const first = new Tokens({ refresh, storage: asyncMemory(items), storageKey });
    first.use(sessionOf('first'));
    first.use(sessionOf('second'));
    const written = asyncMemory(items);
    await vi.waitUntil(async () => (await written.get(storageKey))?.includes('token of second'));
    const next = new Tokens({ refresh, storage: asyncMemory(items), storageKey });
    expect(next.session).toBeNull();
    expect(await next.current()).toBe('token of second');
    expect(next.session).toEqual(sessionOf('second'));
    expect(await next.renew()).toBe('token of third');
  });

  it('keeps a sign-in and a sign-out that happen while an asynchronous storage is read', async () => {
    const items = new Map([[storageKey, JSON.stringify(sessionOf('stored'))]]);
    const refresh = () => Promise.reject(new Error('unexpected refresh'));
    const signedIn = new Tokens({ refresh, storage: asyncMemory(items), storageKey });
    const { loading } = signedIn;
    signedIn.use(sessionOf('new'));
    await loading;
    expect(signedIn.session).toEqual(sessionOf('new'));
    const storage = asyncMemory(items);
    const signedOut = new Tokens({ refresh, storage, storageKey });
    signedOut.forget();
    await expect(signedOut.current()).rejects.toMatchObject({ code: 'AUTHENTICATION_REQUIRED' });
    expect(await storage.get(storageKey)).toBeNull();
  });

  it('works with a storage that fails', async () => {
    const fails = () => {
      throw new Error('QuotaExceededError');
    };
    const rejects = () => Promise.reject(new Error('no disk'));
    for (const fail of [fails, rejects]) {
      const storage = new StoredItems({ getItem: fail, setItem: fail, removeItem: fail });
      const tokens = new Tokens({ refresh: rejects, storage, storageKey });
      tokens.use(sessionOf('first'));
      expect(await tokens.current()).toBe('token of first');
      tokens.forget();
      expect(await storage.get(storageKey)).toBeNull();
    }
  });

  it('ignores invalid data in the storage', () => {
    const storage = memory();
    storage.set(storageKey, '{not json');
    expect(
      new Tokens({ refresh: () => Promise.reject(new Error('unexpected refresh')), storage, storageKey })
        .session,
    ).toBeNull();
  });

  it('gets tokens from the app, and fails without a session', async () => {
    const refresh = () => Promise.reject(new Error('unexpected refresh'));
    expect(
      await new Tokens({ refresh, storageKey, getToken: () => Promise.resolve('from the app') }).current(),
    ).toBe('from the app');
    await expect(new Tokens({ refresh, storageKey }).current()).rejects.toMatchObject({
      code: 'AUTHENTICATION_REQUIRED',
    });
  });

  it('asks the app again after its getToken() has not returned a token in time', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const refresh = () => Promise.reject(new Error('unexpected refresh'));
    const getToken = vi.fn(() => new Promise<string>(() => {}));
    const tokens = new Tokens({ refresh, storageKey, getToken });
    const first = expect(tokens.current()).rejects.toMatchObject({ code: 'NETWORK_ERROR' });
    await vi.advanceTimersByTimeAsync(30_000);
    await first;
    getToken.mockResolvedValue('from the app');
    expect(await tokens.current()).toBe('from the app');
  });

  it('reads the expiry of a token', () => {
    const body = Buffer.from(JSON.stringify({ exp: 1_800_000_000 })).toString('base64url');
    const refresh = () => Promise.reject(new Error('unexpected refresh'));
    expect(new Tokens({ refresh, storageKey, sessionToken: `x.${body}.y` }).expiresAt).toEqual(
      new Date(1_800_000_000_000),
    );
    expect(new Tokens({ refresh, storageKey, sessionToken: 'opaque' }).expiresAt).toBeNull();
  });
});

describe('a client for one wallet', () => {
  const wallet = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
  const otherWallet = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
  const tokenOf = (sub: string) => `x.${btoa(JSON.stringify({ sub }))}.x`;
  const refresh = () => Promise.resolve(sessionOf('next'));
  const refusal = { code: 'VALIDATION_ERROR', message: expect.stringContaining(otherWallet) as string };

  it('accepts tokens of its wallet, and rejects those of another wallet', async () => {
    const sources = { refresh, storageKey, wallet } as const;
    expect(await new Tokens({ ...sources, sessionToken: tokenOf(wallet) }).current()).toBe(tokenOf(wallet));
    expect(() => new Tokens({ ...sources, sessionToken: tokenOf(otherWallet) })).toThrow(otherWallet);
    expect(() => new Tokens({ ...sources, sessionToken: tokenOf('acc_1') })).toThrow('Create another client');
    const fromBackend = new Tokens({ ...sources, getToken: () => Promise.resolve(tokenOf(otherWallet)) });
    await expect(fromBackend.current()).rejects.toMatchObject(refusal);
    expect(() => new Tokens(sources).use({ ...sessionOf('first'), walletId: otherWallet })).toThrow(
      otherWallet,
    );
  });

  it('does not use a stored session of another wallet, and reports it', async () => {
    const storage = memory();
    new Tokens({ refresh, storageKey, storage }).use({ ...sessionOf('other'), walletId: otherWallet });
    const tokens = new Tokens({ refresh, storageKey, storage, wallet });
    expect(tokens.session).toBeNull();
    await expect(tokens.current()).rejects.toMatchObject({ ...refusal, code: 'AUTHENTICATION_REQUIRED' });
    tokens.use(sessionOf('first'));
    expect(await tokens.current()).toBe('token of first');
  });

  it('distinguishes contract wallets on different chains', () => {
    const on = (chain: number) => `eip155:${chain}:${wallet}` as const;
    const of = (sub: string, mine: Address) => () =>
      new Tokens({ refresh, storageKey, wallet: mine, sessionToken: tokenOf(sub) });
    expect(of(on(8453), on(8453))).not.toThrow();
    expect(of(on(8453), wallet)).not.toThrow();
    expect(of(on(1), on(8453))).toThrow('Create another client');
    expect(of(wallet, on(8453))).toThrow('Create another client');
  });
});
