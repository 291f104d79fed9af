import type { SessionStorage } from '@parley/sdk';

/** The part of an MMKV instance of react-native-mmkv, or of a store like it, that mmkvStorage() uses. */
export interface KeyValueStore {
  getString(key: string): string | undefined;
  set(key: string, value: string): unknown;
  /** The name since react-native-mmkv 4. */
  remove?(key: string): unknown;
  /** The name before react-native-mmkv 4. */
  delete?(key: string): unknown;
}

/**
 * Keeps the session and unsent messages in an MMKV store, for the option `storage` of a client. AsyncStorage needs no adapter: pass it as
 * it is. The session is a secret of the wallet, so give the store an `encryptionKey`.
 * @param store the MMKV instance
 * @returns the storage
 * @example const client = new Parley({ apiKey: '', baseUrl, storage: mmkvStorage(new MMKV({ id: 'parley', encryptionKey })) });
 */
export function mmkvStorage(store: KeyValueStore): SessionStorage {
  return {
    getItem: (key) => store.getString(key) ?? null,
    setItem: (key, value) => void store.set(key, value),
    removeItem: (key) => void (store.remove ? store.remove(key) : store.delete?.(key)),
  };
}
