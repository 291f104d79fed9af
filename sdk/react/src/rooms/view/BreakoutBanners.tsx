import { IconHandStop, IconSitemap } from '@tabler/icons-react';
import { useState } from 'react';
import { useAction } from '../../core/useAction.ts';
import { useWords } from '../../words/WordsContext.tsx';
import { nameOf } from '../roomState.ts';
import { useRoomContext } from '../useRoom.ts';
import { Banner, BannerButton } from './Banner.tsx';
import { TimeLeft } from './TimeLeft.tsx';

/** Notices about breakouts: where the user is, how long they run, and who asks for a host. */
export function BreakoutBanners({ onManage }: { onManage: () => void }) {
  const { breakouts: words, common } = useWords();
  const { controller, breakoutActions, room, breakouts, hostCalls, wasMoved, isHost } = useRoomContext();
  const parentId = room?.parentId ?? null;
  const endsAt = breakouts?.parent.breakoutsEndAt ?? null;
  const [call] = hostCalls;
  return (
    <>
      {parentId && (
        <Banner kind="calm" testId="in-breakout">
          <IconSitemap size={18} aria-hidden />
          <span>
            {wasMoved ? words.youWereMoved : words.youAreIn} <strong>{room?.name}</strong>.
            <Ending label={words.itEndsIn} at={endsAt} />
          </span>
          {!isHost && <CallHost />}
          <BannerButton onClick={() => void breakoutActions.goTo(parentId)} data-testid="back-to-main">
            {words.backToMain}
          </BannerButton>
        </Banner>
      )}
      {!parentId && wasMoved && (
        <Banner kind="calm" testId="was-moved">
          <IconSitemap size={18} aria-hidden /> {words.areBack}
          <BannerButton onClick={controller.dismissMoved}>{common.ok}</BannerButton>
        </Banner>
      )}
      {!parentId && isHost && breakouts && breakouts.rooms.length > 0 && (
        <Banner kind="calm" testId="breakouts-run">
          <IconSitemap size={18} aria-hidden />
          <span>
            {words.areOpen}
            <Ending label={words.theyEndIn} at={endsAt} />
          </span>
          <BannerButton onClick={onManage} data-testid="manage-breakouts">
            {words.whoIsWhere}
          </BannerButton>
        </Banner>
      )}
      {isHost && call && (
        <Banner kind="warning" testId="host-called">
          <IconHandStop size={18} aria-hidden />
          <span>
            <strong>{nameOf(call.participant)}</strong> {words.asksForHost(call.roomName)}
          </span>
          <BannerButton
            variant="filled"
            onClick={() => void breakoutActions.goTo(call.roomId)}
            data-testid="go-to-caller"
          >
            {words.goThere}
          </BannerButton>
          <BannerButton onClick={() => breakoutActions.dismissCall(call.roomId)}>{words.notNow}</BannerButton>
        </Banner>
      )}
    </>
  );
}

function Ending({ label, at }: { label: string; at: Date | null }) {
  if (!at) return null;
  return (
    <>
      {' '}
      {label} <TimeLeft until={at} />.
    </>
  );
}

function CallHost() {
  const words = useWords().breakouts;
  const { breakoutActions } = useRoomContext();
  const [wasCalled, setWasCalled] = useState(false);
  const { run, isRunning, problem } = useAction(async () => {
    await breakoutActions.callHost();
    setWasCalled(true);
  });
  return (
    <>
      <BannerButton variant="filled" isLoading={isRunning} onClick={() => void run()} data-testid="call-host">
        {words.callHost}
      </BannerButton>
      {wasCalled && !problem && <span data-testid="host-was-called">{words.hostsWereTold}</span>}
      {problem && <span>{problem.advice}</span>}
    </>
  );
}
