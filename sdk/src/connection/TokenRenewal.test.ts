import { expect, it, onTestFinished, vi } from 'vitest';
import { TokenRenewal } from './TokenRenewal.ts';
import { Tokens } from './Tokens.ts';

const tokenWith = (lifetimeMs: number) =>
  `x.${Buffer.from(JSON.stringify({ exp: (Date.now() + lifetimeMs) / 1_000 })).toString('base64url')}.y`;

it('asks the app again after its backend has failed, until the token has expired', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const answers = [
    () => Promise.resolve(tokenWith(120_000)),
    () => Promise.reject(new Error('the backend answered 502')),
    () => Promise.resolve(tokenWith(3_600_000)),
  ];
  const getToken = () => answers.shift()?.() ?? Promise.reject(new Error('asked too often'));
  const refresh = () => Promise.reject(new Error('unexpected refresh'));
  const tokens = new Tokens({ refresh, storageKey: 'parley.session', getToken });
  await tokens.current();
  const used = vi.fn(() => Promise.resolve());
  const renewal = new TokenRenewal(tokens, used);
  renewal.schedule();
  await vi.advanceTimersByTimeAsync(110_000);
  expect(used).toHaveBeenCalledExactlyOnceWith(await tokens.current());
  renewal.stop();
});
