import { IconAntennaBars2, IconX } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { IconButton } from '../../ui/Button.tsx';
import { useWords } from '../../words/WordsContext.tsx';
import { useQuality } from '../roomHooks.ts';
import { useRoomContext } from '../useRoom.ts';
import { Banner, BannerButton } from './Banner.tsx';
import { poorBelow } from './Signal.tsx';

/** How long the connection must be poor before it is reported, so that a short disturbance is not. */
const patienceMs = 5_000;

/** Says what is wrong when the user's own connection is poor: in which direction, and what helps. */
export function ConnectionBanner() {
  const { rooms, common } = useWords();
  const { controller, trouble, sending } = useRoomContext();
  const own = useQuality();
  const isPoor = trouble === 'own-network';
  const isSendingPoor = (own?.sending ?? 10) < poorBelow;
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    if (!isPoor) return;
    const timer = setTimeout(() => setShown(true), patienceMs);
    return () => {
      clearTimeout(timer);
      setShown(false);
    };
  }, [isPoor]);
  if (!isShown) return null;
  return (
    <Banner kind="warning" testId="poor-connection">
      <IconAntennaBars2 size={18} aria-hidden />
      <span>
        {isSendingPoor ? rooms.sendingIsPoor : rooms.receivingIsPoor} {rooms.poorAdvice}
      </span>
      {sending.video && (
        <BannerButton onClick={() => void controller.toggleVideo()}>{rooms.turnCameraOff}</BannerButton>
      )}
      <IconButton label={common.dismiss} size="sm" onClick={() => setShown(false)}>
        <IconX size={16} aria-hidden />
      </IconButton>
    </Banner>
  );
}
