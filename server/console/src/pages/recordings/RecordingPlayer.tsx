import { NativeSelect, Stack, Text } from '@mantine/core';
import type { Recording } from '@parley/sdk';
import { useRef, useState } from 'react';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import classes from './Recordings.module.css';
import { tracksOf } from './tracksOf.ts';
import { useNaming } from './useNaming.ts';

/** Plays the files of one participant or screen, one after another as one film. */
export function RecordingPlayer({ recording, title }: { recording: Recording; title: string }) {
  const { client } = useSignedIn();
  const naming = useNaming(recording);
  // Kept while it plays: the list is read again at times, with other signed addresses, which would start the film again.
  const [files, setFiles] = useState(recording.files);
  const [[chosen, part], setShown] = useState<[track: number, part: number]>([0, 0]);
  const position = useRef(0);
  const hasPlayed = useRef(true);
  const tracks = tracksOf({ kind: recording.kind, files }, naming);
  const parts = tracks[chosen]?.files ?? [];

  const show = (track: number, nextPart: number) => {
    position.current = 0;
    setShown([track, nextPart]);
  };
  // The addresses expire after an hour. Then playback continues with new ones, if the old ones have worked.
  const renew = async () => {
    if (!hasPlayed.current) return;
    hasPlayed.current = false;
    const fresh = await client.recordings.get(recording.id).catch(() => null);
    if (fresh) setFiles(fresh.files);
  };
  return (
    <Stack gap="xs" w="100%">
      {tracks.length > 1 && (
        <NativeSelect
          label="Show"
          data={tracks.map(({ label }, index) => ({ value: String(index), label }))}
          value={String(chosen)}
          onChange={(event) => show(Number(event.currentTarget.value), 0)}
          data-testid="recording-track"
        />
      )}
      <video
        className={classes['video']}
        src={parts[part]?.url}
        controls
        autoPlay
        playsInline
        aria-label={title}
        onPlaying={() => (hasPlayed.current = true)}
        onTimeUpdate={({ currentTarget }) => (position.current = currentTarget.currentTime)}
        onLoadedMetadata={({ currentTarget }) => {
          if (position.current > 0) currentTarget.currentTime = position.current;
        }}
        onEnded={() => part + 1 < parts.length && show(chosen, part + 1)}
        onError={() => void renew()}
        data-testid="recording-player"
      />
      {parts.length > 1 && (
        <Text size="sm" c="dimmed" role="status" data-testid="recording-part">
          Part {part + 1} of {parts.length}
        </Text>
      )}
    </Stack>
  );
}
