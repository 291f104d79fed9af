import { usePeople } from '@parley/react';
import type { Recording } from '@parley/sdk';
import { useOwnAddress } from '../../session/useOwnAddress.ts';
import { namingOf, type Naming } from './describeRecording.ts';

/** The names of the parties of a recording. */
export function useNaming({ files }: Recording): Naming {
  const people = usePeople(files.map(({ walletAddress }) => walletAddress));
  return namingOf(useOwnAddress(), files, people);
}
