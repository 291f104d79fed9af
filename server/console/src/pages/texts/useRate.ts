import type { TextRate } from '@parley/sdk';
import { useMemo } from 'react';
import { Resource } from '../../data/Resource.ts';
import { useLoaded } from '../../data/useLoaded.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';

/** What a text there costs, as far as it is known. */
export function useRate(to: string | null): TextRate | null {
  const { phone } = useSignedIn();
  const resource = useMemo(
    () => (to === null ? new Resource<TextRate | null>(() => Promise.resolve(null)) : phone.rate(to)),
    [phone, to],
  );
  return useLoaded<{ value: TextRate | null }>(resource).value;
}
