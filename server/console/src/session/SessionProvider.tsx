import { ParleyProvider } from '@parley/react';
import { useMantineColorScheme } from '@mantine/core';
import type { ReactNode } from 'react';
import { report } from '../ui/report.ts';
import { SignedInContext } from './ParleyClient.tsx';
import type { SignedIn } from './SessionController.ts';

/** Gives the session and its client to the components below, with the colours of the console. */
export function SessionProvider({ session, children }: { session: SignedIn; children: ReactNode }) {
  const { colorScheme } = useMantineColorScheme();
  return (
    <SignedInContext value={session}>
      <ParleyProvider client={session.client} theme={colorScheme} onError={report}>
        {children}
      </ParleyProvider>
    </SignedInContext>
  );
}
