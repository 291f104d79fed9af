import type { Participant } from '@parley/sdk';
import { usePartyName } from '../people/usePeople.ts';

/** The name to show for a participant: the one that it joined with, or that of its wallet. */
export function useNameOf({
  displayName,
  walletAddress,
}: Pick<Participant, 'displayName' | 'walletAddress'>): string {
  const party = usePartyName(walletAddress);
  return displayName ?? party;
}
