import { partyName, usePeople } from '@parley/react';
import type { Recording } from '@parley/sdk';
import { useOwnAddress } from '../../session/useOwnAddress.ts';
import type { Naming } from './describeRecording.ts';

/** The names of the parties of a recording, as far as they are known; otherwise their short addresses. */
export function useNaming({ files }: Recording): Naming {
  const own = useOwnAddress();
  const people = usePeople(files.map(({ walletAddress }) => walletAddress));
  return { own, nameOf: (party) => people.get(party)?.name ?? partyName(party) };
}
