import { Button } from '@mantine/core';
import { IconVolume } from '@tabler/icons-react';
import type { MediaTrack } from '@parley/sdk';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useRoom } from '../useRoom.ts';
import classes from './InRoom.module.css';

/** Plays the audio of all participants, whether or not their tiles are visible. */
export function Sounds() {
  const { state } = useRoom();
  const [blocked, setBlocked] = useState<readonly string[]>([]);
  // Each increment makes every audio element try to play again.
  const [tries, setTries] = useState(0);
  const sounds = [...state.tracks].filter(([, { track }]) => track.kind === 'audio');
  return (
    <>
      {sounds.map(([key, track]) => (
        <Sound
          key={key}
          track={track}
          tries={tries}
          onBlocked={() => setBlocked((before) => [...before.filter((one) => one !== key), key])}
        />
      ))}
      {blocked.some((key) => state.tracks.has(key)) && (
        <div className={classes['hear']}>
          <Button
            size="lg"
            leftSection={<IconVolume size={22} />}
            onClick={() => {
              setBlocked([]);
              setTries(tries + 1);
            }}
          >
            Play sound
          </Button>
        </div>
      )}
    </>
  );
}

interface SoundProps {
  track: MediaTrack;
  tries: number;
  onBlocked: () => void;
}

function Sound({ track: { track, participant }, tries, onBlocked }: SoundProps) {
  const audio = useRef<HTMLAudioElement>(null);
  const report = useEffectEvent(onBlocked);
  useEffect(() => {
    const element = audio.current;
    if (!element) return;
    element.srcObject = new MediaStream([track]);
    element.play().catch((error: unknown) => {
      // Any other error means that a newer track replaced this one.
      if (error instanceof DOMException && error.name === 'NotAllowedError') report();
    });
  }, [track, tries]);
  return <audio ref={audio} data-testid="sound" data-participant={participant.id} />;
}
