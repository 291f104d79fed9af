import type { TextRate } from '@parley/sdk';
import { useMemo } from 'react';
import { Resource } from '../../data/Resource.ts';
import { useLoaded } from '../../data/useLoaded.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';

/** The price of a text to a number; null while it is unknown. */
export function useRate(to: string | null): TextRate | null {
  const { phone } = useSignedIn();
  const resource = useMemo(
    () => (to === null ? new Resource<TextRate | null>(() => Promise.resolve(null)) : phone.rate(to)),
    [phone, to],
  );
  return useLoaded<{ value: TextRate | null }>(resource).value;
}
