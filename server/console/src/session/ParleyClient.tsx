import { type BrowserWallet, type Store, useStore } from '@parley/react';
import { QueryClientProvider } from '@tanstack/react-query';
import { createContext, useContext, type ReactNode } from 'react';
import { createQueryClient } from '../data/createQueryClient.ts';
import { recall } from './remembered.ts';
import type { SessionController, SessionState, SignedIn, WalletData } from './SessionController.ts';

interface Services {
  session: SessionController;
  wallets: Store<BrowserWallet[]>;
}

const ServicesContext = createContext<Services | null>(null);
/** The signed-in account, for all components that require one. */
export const SignedInContext = createContext<SignedIn | null>(null);

/** For the actions of visitors. They read nothing through it. */
const guestQueryClient = createQueryClient();

/** Provides all components with the page's session, its data and the browser wallets. */
export function ParleyClient({ children, ...services }: Services & { children: ReactNode }) {
  const session = useStore(services.session.store);
  return (
    <ServicesContext value={services}>
      <QueryClientProvider client={session.phase === 'signedIn' ? session.queryClient : guestQueryClient}>
        {children}
      </QueryClientProvider>
    </ServicesContext>
  );
}

export function useSessionController(): SessionController {
  return required(useContext(ServicesContext)).session;
}

export function useSession(): SessionState {
  return useStore(useSessionController().store);
}

/** Signs in again with the identity that this tab remembers; undefined if it remembers none. */
export function useResume(): (() => void) | undefined {
  const controller = useSessionController();
  return recall() ? () => void controller.resume() : undefined;
}

export function useBrowserWallets(): BrowserWallet[] {
  return useStore(required(useContext(ServicesContext)).wallets);
}

export function useSignedIn(): SignedIn {
  return required(useContext(SignedInContext));
}

/** The wallet's data, for components that are shown only to accounts with a wallet. */
export function useWalletData(): WalletData {
  return required(useSignedIn().wallet);
}

function required<Value>(value: Value | null): Value {
  if (value === null) throw new Error('This component was used outside of its provider.');
  return value;
}
