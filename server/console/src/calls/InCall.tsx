import { shortAddress } from '@parley/sdk';
import { useHotkeys } from '@mantine/hooks';
import { useEffect, useRef } from 'react';
import { useCalls } from '../session/ParleyClient.tsx';
import { CallBanner } from './CallBanner.tsx';
import { CallHeading } from './CallHeading.tsx';
import type { CurrentCall } from './callState.ts';
import { Controls } from './Controls.tsx';
import classes from './InCall.module.css';
import { LocalPreview } from './LocalPreview.tsx';
import { RemoteParty } from './RemoteParty.tsx';

/** Fills the window with the current call: the other party large, the user's own video in a corner. */
export function InCall({ call }: { call: CurrentCall }) {
  const { controller } = useCalls();
  const stage = useRef<HTMLElement>(null);
  useHotkeys([
    ['m', () => void controller.toggleMute()],
    ['v', () => void controller.toggleCamera()],
  ]);
  // The page below is inert, so keyboard focus moves to the call.
  useEffect(() => stage.current?.focus(), []);
  return (
    <section
      ref={stage}
      tabIndex={-1}
      className={classes['stage']}
      aria-label={`Call with ${shortAddress(call.peer)}`}
      data-testid="in-call"
      data-status={call.status}
      data-call-id={call.id ?? undefined}
    >
      <RemoteParty call={call} />
      <LocalPreview call={call} />
      <CallHeading call={call} />
      <CallBanner call={call} />
      <Controls call={call} />
    </section>
  );
}
