import { useState, type ReactNode } from 'react';
import { stateOf } from '../keys/keyState.ts';
import { counted } from '../ui/numbers.ts';
import { useSessionController, useSignedIn } from './ParleyClient.tsx';
import type { SignedIn } from './SessionController.ts';
import { SignOutDialog } from './SignOutDialog.tsx';

/**
 * Signs out, and asks before that if the wallet is temporary and owns something.
 * @returns the function for the button, and the dialog to show beside it
 */
export function useSignOut(): { signOut: () => Promise<void>; dialog: ReactNode } {
  const session = useSessionController();
  const signedIn = useSignedIn();
  const [holdings, setHoldings] = useState<string[] | null>(null);
  const signOut = async () => {
    const found = signedIn.kind === 'throwaway' ? await holdingsOf(signedIn) : [];
    if (found.length > 0) setHoldings(found);
    else await session.signOut();
  };
  return {
    signOut,
    dialog: holdings && <SignOutDialog holdings={holdings} onClose={() => setHoldings(null)} />,
  };
}

/** What is lost with a temporary wallet, for example `2 phone numbers`. */
async function holdingsOf({ client, queries, queryClient }: SignedIn): Promise<string[]> {
  try {
    const [keys, numbers, { credits }] = await Promise.all([
      client.apiKeys.list({ limit: 100 }),
      client.numbers.mine({ limit: 100 }),
      queryClient.fetchQuery(queries.credits),
    ]);
    const active = keys.data.filter((key) => stateOf(key, new Date()) === 'active').length;
    const owned = numbers.data.filter(({ status }) => status !== 'released').length;
    return [
      ...(owned > 0 ? [counted(owned, 'phone number')] : []),
      ...(credits > 0 ? [counted(credits, 'credit')] : []),
      ...(active > 0 ? [`${counted(active, 'API key')}, which will keep working`] : []),
    ];
  } catch {
    return ['its account, which could not be read now'];
  }
}
