import { expect, it, vi } from 'vitest';
import type { Address } from '../../protocol/address.ts';
import { PersonCache } from './PersonCache.ts';

const addressOf = (n: number): Address => `0x${String(n).padStart(40, '0')}`;

/** A cache, and the requests it has made. A wallet's name is the number of the request that read it. */
function cacheWith(fails: () => boolean = () => false) {
  const requests: Address[][] = [];
  const cache = new PersonCache((addresses) => {
    requests.push(addresses);
    if (fails()) return Promise.reject(new Error('offline'));
    const name = String(requests.length);
    return Promise.resolve(
      addresses.map((walletAddress) => ({
        ...{ walletAddress, name, profileName: name, contactName: null },
        ...{ ensName: null, avatarUrl: null },
      })),
    );
  });
  const nameOf = async (n: number) => (await cache.get([addressOf(n)]))[0]?.name;
  return { cache, requests, nameOf };
}

it('reads the wallets of a whole list with one request, and each wallet once', async () => {
  const { requests, nameOf } = cacheWith();
  const names = await Promise.all([...Array(50).keys(), 7, 7].map((n) => nameOf(n)));
  expect(new Set(names)).toEqual(new Set(['1']));
  await nameOf(3);
  expect(requests.map(({ length }) => length)).toEqual([50]);
});

it('splits more than 100 wallets', async () => {
  const { requests, nameOf } = cacheWith();
  await Promise.all([...Array(150).keys()].map((n) => nameOf(n)));
  expect(requests.map(({ length }) => length)).toEqual([100, 50]);
});

it('reads a wallet again after forget(), even while it is being read', async () => {
  const { cache, nameOf } = cacheWith();
  const first = nameOf(1);
  cache.forget(addressOf(1));
  const second = nameOf(1);
  expect([await first, await second]).toEqual(['1', '1']);
  cache.forget(addressOf(1));
  expect([await nameOf(1), await nameOf(1)]).toEqual(['2', '2']);
});

it('keeps no errors', async () => {
  let isOffline = true;
  const { nameOf } = cacheWith(() => isOffline);
  await expect(nameOf(1)).rejects.toThrow('offline');
  isOffline = false;
  expect(await nameOf(1)).toBe('2');
});

it('keeps what is being read when it is cleared, and nothing else', async () => {
  const { cache, nameOf } = cacheWith();
  expect(await nameOf(1)).toBe('1');
  const second = nameOf(2);
  cache.clear();
  await second;
  expect([await nameOf(1), await nameOf(2)]).toEqual(['3', '2']);
});

it('reads a wallet without a name again when it writes, but not for each message', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    const nameless = { name: null, profileName: null, contactName: null, ensName: null, avatarUrl: null };
    const cache = new PersonCache((addresses) =>
      Promise.resolve(addresses.map((walletAddress) => ({ walletAddress, ...nameless }))),
    );
    const wallet = addressOf(1);
    const messages = async (count: number) => {
      let reads = 0;
      for (let message = 0; message < count; message++) {
        if (!cache.isNews(wallet)) continue;
        reads++;
        cache.forget(wallet);
        await cache.get([wallet]);
      }
      return reads;
    };
    expect(await messages(1)).toBe(0);
    await cache.get([wallet]);
    expect(await messages(20)).toBe(1);
    vi.setSystemTime(Date.now() + 60_000);
    expect(await messages(20)).toBe(1);
    // Another wallet may have signed in, which is told something else.
    cache.clear();
    await cache.get([wallet]);
    expect(await messages(20)).toBe(1);
  } finally {
    vi.useRealTimers();
  }
});
