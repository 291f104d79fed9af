import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { onlyKey } from '../../platform/keys.ts';
import type { StreamRow } from './tables.ts';
import { ViewerTokens } from './ViewerTokens.ts';

const tokens = new ViewerTokens(onlyKey(Buffer.alloc(32, 1)));
const wallet = '0x1111111111111111111111111111111111111111';
const open = { id: 'str_1', keyHash: 'a'.repeat(64), isPublic: true, gate: null } as StreamRow;
const closed: StreamRow = { ...open, isPublic: false };
const gate = { type: 'token', chainId: 1, contractAddress: null, minBalance: '1' } as const;

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

it('opens no private stream with the token that a wallet got while it was public', () => {
  const own = tokens.forWallet(open, wallet, true).token;
  expect(tokens.read(open, own)).toEqual({ wallet });
  expect(tokens.read(closed, own)).toBeNull();
  expect(tokens.read(closed, tokens.forWallet(open, wallet).token)).toEqual({ wallet });
  const gated: StreamRow = { ...closed, gate };
  expect(tokens.read(gated, tokens.forWallet(gated, wallet).token)).toEqual({ wallet });
});

it('takes an expired token of a player that was admitted with it, but no void or foreign one', () => {
  const { token, expiresAt } = tokens.forAnybody(closed);
  vi.setSystemTime(expiresAt);
  expect(tokens.read(closed, token)).toBeNull();
  expect(tokens.read(closed, token, true)).toEqual({ wallet: null });
  expect(tokens.read({ ...closed, keyHash: 'b'.repeat(64) }, token, true)).toBeNull();
  expect(tokens.read({ ...closed, id: 'str_2' }, token, true)).toBeNull();
  expect(tokens.read(closed, `${token}x`, true)).toBeNull();
});
