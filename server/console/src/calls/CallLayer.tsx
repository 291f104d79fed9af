import type { ReactNode } from 'react';
import { useCalls } from '../session/ParleyClient.tsx';
import { IncomingCalls } from './IncomingCalls.tsx';
import { InCall } from './InCall.tsx';
import { useRinging } from './useRinging.ts';

/** Shows the current call and the incoming calls above the pages. */
export function CallLayer({ children }: { children: ReactNode }) {
  const { calls } = useCalls();
  const { current, incoming } = calls;
  // If two people call each other at the same moment, the server joins both calls, so theirs does not ring while ours is opening.
  const ringing = incoming.filter((call) => !(current?.status === 'opening' && call.from === current.peer));
  useRinging(ringing[0]?.from ?? null, current?.status === 'ringing' && current.direction === 'outgoing');
  return (
    <>
      <div inert={current !== null}>{children}</div>
      {current && <InCall call={current} />}
      <IncomingCalls ringing={ringing} />
    </>
  );
}
