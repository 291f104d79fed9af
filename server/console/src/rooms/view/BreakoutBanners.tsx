import { Button } from '@mantine/core';
import { IconHandStop, IconSitemap } from '@tabler/icons-react';
import { useState } from 'react';
import { useAction } from '../../data/useAction.ts';
import { nameOf } from '../roomState.ts';
import { useRoom } from '../useRoom.ts';
import { Banner } from './Banner.tsx';
import { TimeLeft } from './TimeLeft.tsx';

/** Notices about breakouts: where the user is, how long they run, and who asks for a host. */
export function BreakoutBanners({ onManage }: { onManage: () => void }) {
  const { controller, state, isHost } = useRoom();
  const { room, breakouts, hostCalls, wasMoved } = state;
  const isInside = Boolean(room?.parentId);
  const endsAt = breakouts?.parent.breakoutsEndAt ?? null;
  const [call] = hostCalls;
  return (
    <>
      {isInside && (
        <Banner kind="calm" testId="in-breakout">
          <IconSitemap size={18} aria-hidden />
          <span>
            {wasMoved ? 'You were moved to' : 'You are in'} the breakout <strong>{room?.name}</strong>.
            {endsAt && (
              <>
                {' '}
                It ends in <TimeLeft until={endsAt} />.
              </>
            )}
          </span>
          {!isHost && <CallHost />}
          {room?.parentId && (
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => void controller.breakouts.goTo(room.parentId ?? '')}
              data-testid="back-to-main"
            >
              Back to the main room
            </Button>
          )}
        </Banner>
      )}
      {!isInside && wasMoved && (
        <Banner kind="calm" testId="was-moved">
          <IconSitemap size={18} aria-hidden /> You are back in the main room.
          <Button size="compact-sm" variant="default" onClick={controller.dismissMoved}>
            OK
          </Button>
        </Banner>
      )}
      {!isInside && isHost && breakouts && breakouts.rooms.length > 0 && (
        <Banner kind="calm" testId="breakouts-run">
          <IconSitemap size={18} aria-hidden />
          <span>
            Breakouts are open.
            {endsAt && (
              <>
                {' '}
                They end in <TimeLeft until={endsAt} />.
              </>
            )}
          </span>
          <Button size="compact-sm" variant="default" onClick={onManage} data-testid="manage-breakouts">
            Who is where
          </Button>
        </Banner>
      )}
      {isHost && call && (
        <Banner kind="warning" testId="host-called">
          <IconHandStop size={18} aria-hidden />
          <span>
            <strong>{nameOf(call.participant)}</strong> in “{call.roomName}” asks for a host.
          </span>
          <Button
            size="compact-sm"
            color="amber"
            onClick={() => void controller.breakouts.goTo(call.roomId)}
            data-testid="go-to-caller"
          >
            Go there
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => controller.breakouts.dismissCall(call.roomId)}
          >
            Not now
          </Button>
        </Banner>
      )}
    </>
  );
}

function CallHost() {
  const { controller } = useRoom();
  const [wasCalled, setWasCalled] = useState(false);
  const { run, isRunning, problem } = useAction(async () => {
    await controller.breakouts.callHost();
    setWasCalled(true);
  });
  return (
    <>
      <Button size="compact-sm" loading={isRunning} onClick={() => void run()} data-testid="call-host">
        Call the host
      </Button>
      {wasCalled && !problem && <span data-testid="host-was-called">The hosts were told.</span>}
      {problem && <span>{problem.advice}</span>}
    </>
  );
}
