import type { Parley, Signer } from '@parley/sdk';
import { privateKeyToAccount } from 'viem/accounts';
import { afterEach, expect, it, vi } from 'vitest';
import { Services } from '../core/Services.ts';
import { SessionController } from './SessionController.ts';

afterEach(() => void vi.unstubAllGlobals());

it('keeps the temporary wallet that is signed in, also after a double click', async () => {
  const kept = new Map<string, string>();
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
  });
  const client = {
    on: () => () => undefined,
    session: null,
    loadSession: () => Promise.resolve(null),
    guest: () => Promise.resolve(null),
    wallet: () => Promise.resolve(null),
    signIn: (signer: Signer) => Promise.resolve({ walletId: (signer as { address: string }).address }),
  };
  const controller = new SessionController(new Services(client as unknown as Parley));
  await controller.resume();
  expect(controller.store.get().phase).toBe('signedOut');
  await Promise.all([controller.signInAsGuest(), controller.signInAsGuest()]);
  const [key] = [...kept.values()] as [`0x${string}`];
  expect(controller.address).toBe(privateKeyToAccount(key).address);
});
