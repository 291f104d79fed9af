import type { Signer } from '@parley/sdk';

/**
 * A wallet for one tab, for people who have none: its key is kept in sessionStorage, and is gone when the tab is closed.
 * @param key the entry in the storage
 * @returns null if there is none yet and `isNew` is false
 */
export async function temporaryWallet(key: string, isNew: boolean): Promise<Signer | null> {
  const storage = tabStorage();
  const kept = (storage?.getItem(key) ?? null) as `0x${string}` | null;
  if (!kept && !isNew) return null;
  // Loaded only for those who use one.
  const { generatePrivateKey, privateKeyToAccount } = await import('viem/accounts');
  const privateKey = kept ?? generatePrivateKey();
  storage?.setItem(key, privateKey);
  return privateKeyToAccount(privateKey);
}

/** The storage of this tab; null where there is none, or where the browser forbids it, as in frames with third-party data blocked. */
export function tabStorage(): Storage | null {
  try {
    return globalThis.sessionStorage ?? null;
  } catch {
    return null;
  }
}
