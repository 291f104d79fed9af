import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Tokens } from './Tokens.ts';
import type { Session } from './types.ts';

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
  return {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  };
}

const storageKey = 'parley.session http://127.0.0.1';

describe('tokens', () => {
  it('uses a refresh token once, however many ask', async () => {
    const refresh = vi.fn(() => Promise.resolve(sessionOf('second')));
    const tokens = new Tokens({ refresh, storageKey });
    tokens.use(sessionOf('first'));
    expect(await Promise.all([tokens.renew(), tokens.renew()])).toEqual([
      'token of second',
      'token of second',
    ]);
    expect(refresh).toHaveBeenCalledExactlyOnceWith('rt of first');
  });

  it('takes what another tab has refreshed already', async () => {
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

  it('takes what another tab has refreshed while this one slept, though it hears of it late', async () => {
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
    storage.setItem(storageKey, JSON.stringify(sessionOf('second')));
    await vi.advanceTimersToNextTimerAsync();
    expect(await renewing).toBe('token of second');
    expect(refresh).not.toHaveBeenCalled();
  });

  it('finds the session of the last visit, with its dates', () => {
    const storage = memory();
    const refresh = () => Promise.reject(new Error('not asked'));
    new Tokens({ refresh, storage, storageKey }).use(sessionOf('first'));
    expect(new Tokens({ refresh, storage, storageKey }).session).toEqual(sessionOf('first'));
    expect(new Tokens({ refresh, storage, storageKey: 'another server' }).session).toBeNull();
  });

  it('survives what somebody else wrote into the storage', () => {
    const storage = memory();
    storage.setItem(storageKey, '{not json');
    expect(
      new Tokens({ refresh: () => Promise.reject(new Error('not asked')), storage, storageKey }).session,
    ).toBeNull();
  });

  it('asks the app where the app holds the session, and nobody where there is none', async () => {
    const refresh = () => Promise.reject(new Error('not asked'));
    expect(
      await new Tokens({ refresh, storageKey, getToken: () => Promise.resolve('theirs') }).current(),
    ).toBe('theirs');
    await expect(new Tokens({ refresh, storageKey }).current()).rejects.toMatchObject({
      code: 'AUTHENTICATION_REQUIRED',
    });
  });

  it('reads when a token expires', () => {
    const body = Buffer.from(JSON.stringify({ exp: 1_800_000_000 })).toString('base64url');
    const refresh = () => Promise.reject(new Error('not asked'));
    expect(new Tokens({ refresh, storageKey, sessionToken: `x.${body}.y` }).expiresAt).toEqual(
      new Date(1_800_000_000_000),
    );
    expect(new Tokens({ refresh, storageKey, sessionToken: 'opaque' }).expiresAt).toBeNull();
  });
});
