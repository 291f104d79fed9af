import { partyName } from '@parley/react';
import { usePerson } from '../data/usePeople.ts';

/** The name of a party as this wallet knows it, or the one that is made from its address or identity. */
export const usePartyName = (party: string): string => usePerson(party)?.name ?? partyName(party);
