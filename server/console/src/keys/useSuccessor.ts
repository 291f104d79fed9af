import type { ApiKey } from '@parley/sdk';
import { useSignedIn } from '../session/ParleyClient.tsx';
import { useStore } from '../session/Store.ts';
import { rotations } from './rotations.ts';

/** The key that is about to take this one's place. One that was revoked takes nobody's. */
export function useSuccessor({ id }: ApiKey): ApiKey | null {
  const { items } = useStore(useSignedIn().account.keys.store);
  const successorId = useStore(rotations)[id];
  return items?.find((key) => key.id === successorId && key.status === 'active') ?? null;
}
