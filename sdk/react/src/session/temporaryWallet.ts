import type { Signer } from '@parley/sdk';

/**
 * A wallet for one tab, for people who have none: its key is kept in sessionStorage, and is gone when the tab is closed.
 * @param key the entry in the storage
 * @returns null if there is none yet and `isNew` is false
 */
export async function temporaryWallet(key: string, isNew: boolean): Promise<Signer | null> {
  const kept = sessionStorage.getItem(key) as `0x${string}` | null;
  if (!kept && !isNew) return null;
  // Loaded only for those who use one.
  const { generatePrivateKey, privateKeyToAccount } = await import('viem/accounts');
  const privateKey = kept ?? generatePrivateKey();
  sessionStorage.setItem(key, privateKey);
  return privateKeyToAccount(privateKey);
}
