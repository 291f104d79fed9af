import type { Eip1193Provider } from '@parley/sdk';
import { Store } from '../core/Store.ts';

export interface BrowserWallet {
  id: string;
  name: string;
  /** A data: URL provided by the wallet. */
  icon: string | null;
  provider: Eip1193Provider;
}

/** The announcement of a wallet (EIP-6963). */
interface Announcement {
  info: { uuid: string; name: string; icon: string };
  provider: Eip1193Provider;
}

declare global {
  interface Window {
    ethereum?: Eip1193Provider;
  }
  interface WindowEventMap {
    'eip6963:announceProvider': CustomEvent<Announcement>;
  }
}

let found: Store<BrowserWallet[]> | null = null;

/**
 * The wallets in this browser: those that announce themselves (EIP-6963) or, if there are none, the one at window.ethereum. There is one
 * list per page. On a server it is empty.
 */
export function browserWallets(): Store<BrowserWallet[]> {
  if (typeof window === 'undefined') return new Store<BrowserWallet[]>([]);
  return (found ??= discover());
}

function discover(): Store<BrowserWallet[]> {
  const wallets = new Store<BrowserWallet[]>([]);
  wallets.set(injected());
  window.addEventListener('eip6963:announceProvider', ({ detail }) => {
    const announced = wallets.get().filter(({ id }) => id !== 'injected' && id !== detail.info.uuid);
    wallets.set([...announced, fromAnnouncement(detail)]);
  });
  window.dispatchEvent(new Event('eip6963:requestProvider'));
  // Some wallets are injected only after the page has loaded.
  window.addEventListener('ethereum#initialized', () => {
    if (wallets.get().length === 0) wallets.set(injected());
  });
  return wallets;
}

function injected(): BrowserWallet[] {
  const provider = window.ethereum;
  return provider ? [{ id: 'injected', name: 'your browser wallet', icon: null, provider }] : [];
}

function fromAnnouncement({ info, provider }: Announcement): BrowserWallet {
  // With any other URL, the browser would send a request to another server.
  const icon = info.icon.startsWith('data:image/') ? info.icon : null;
  return { id: info.uuid, name: info.name, icon, provider };
}
