import type { MediaTrack } from '@parley/sdk';
import { IconVolume } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { useParley } from '../../core/ParleyProvider.tsx';
import { Button } from '../../ui/Button.tsx';
import { useWords } from '../../words/WordsContext.tsx';
import { trackKey } from '../roomState.ts';
import { useTracks } from '../roomHooks.ts';
import { useRoomContext } from '../useRoom.ts';
import classes from './InRoom.module.css';

/** Plays the audio of all participants on the chosen speaker. If the browser blocks it, a button in the room starts it. */
export function RoomAudio() {
  const words = useWords().rooms;
  const { media } = useParley();
  const { isPlaybackBlocked } = useRoomContext();
  const sounds = useTracks().filter(({ track }) => track.kind === 'audio');
  return (
    <>
      {sounds.map((track) => (
        <Sound key={trackKey(track)} track={track} />
      ))}
      {isPlaybackBlocked && sounds.length > 0 && (
        <div className={classes['hear']}>
          <Button
            size="lg"
            icon={<IconVolume size={22} aria-hidden />}
            onClick={() => void media.startAudio().catch(() => undefined)}
          >
            {words.playSound}
          </Button>
        </div>
      )}
    </>
  );
}

function Sound({ track: { track, participant } }: { track: MediaTrack }) {
  const { media } = useParley();
  const audio = useRef<HTMLAudioElement>(null);
  useEffect(() => {
    const element = audio.current;
    return element ? media.play(element, new MediaStream([track])) : undefined;
  }, [media, track]);
  return <audio ref={audio} data-testid="sound" data-participant={participant.id} />;
}
