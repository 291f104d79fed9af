import { useStore } from '@parley/react';
import type { ApiKey } from '@parley/sdk';
import { useList } from '../data/useList.ts';
import { useSignedIn } from '../session/ParleyClient.tsx';
import { rotations } from './rotations.ts';

/** The active key that is about to replace this one; null if there is none. */
export function useSuccessor({ id }: ApiKey): ApiKey | null {
  const { value: keys } = useList(useSignedIn().queries.keys, { isRead: false });
  const successorId = useStore(rotations)[id];
  return keys?.find((key) => key.id === successorId && key.status === 'active') ?? null;
}
