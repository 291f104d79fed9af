import { Ago } from '@parley/react';
import { ActionIcon, Button, Text } from '@mantine/core';
import type { Recording } from '@parley/sdk';
import { IconDownload, IconPlayerPlay, IconTrash, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { CardItem } from '../../ui/CardItem.tsx';
import { DeleteRecording } from './DeleteRecording.tsx';
import { factsOf, fileLabel, hintsOf, titleOf } from './describeRecording.ts';
import { RecordingPlayer } from './RecordingPlayer.tsx';
import { useNaming } from './useNaming.ts';

interface Props {
  recording: Recording;
  /** Whether a link leads to this recording. */
  isTarget: boolean;
}

/** One recording, to play in place, with a file for each participant and screen. */
export function RecordingItem({ recording, isTarget }: Props) {
  const { id, status, startedAt, files } = recording;
  const [isDeleting, setIsDeleting] = useState(false);
  const [isPlaying, setIsPlaying] = useState(false);
  const naming = useNaming(recording);
  const title = titleOf(recording, naming);
  const isSettled = status === 'ready' || status === 'failed';
  return (
    <CardItem
      name={title}
      data={{ 'data-testid': 'recording', 'data-recording': id, 'data-status': status }}
      isTarget={isTarget}
      tools={
        <>
          {files.length > 0 && (
            <Button
              variant="light"
              leftSection={isPlaying ? <IconX size={18} /> : <IconPlayerPlay size={18} />}
              aria-expanded={isPlaying}
              aria-label={isPlaying ? `Close the player of ${title}` : `Play ${title}`}
              onClick={() => setIsPlaying(!isPlaying)}
              data-testid="play-recording"
            >
              {isPlaying ? 'Close' : 'Play'}
            </Button>
          )}
          {files.map((file) => (
            <Button
              key={file.id}
              component="a"
              href={file.url}
              download
              variant="default"
              leftSection={<IconDownload size={18} />}
              data-testid="download-recording"
            >
              {fileLabel(recording, file, naming)}
            </Button>
          ))}
          {isSettled && (
            <ActionIcon
              variant="subtle"
              color="brick"
              size="lg"
              aria-label={`Delete the recording ${title}`}
              onClick={() => setIsDeleting(true)}
              data-testid="delete-recording"
            >
              <IconTrash size={20} />
            </ActionIcon>
          )}
        </>
      }
      {...(isPlaying && { below: <RecordingPlayer recording={recording} title={title} /> })}
    >
      <Text size="sm" c="dimmed">
        {factsOf(recording)} · <Ago at={startedAt} />
      </Text>
      {hintsOf(recording).map((hint) => (
        <Text key={hint} size="sm" c="dimmed" mt={4}>
          {hint}
        </Text>
      ))}
      {isDeleting && <DeleteRecording id={id} title={title} onClose={() => setIsDeleting(false)} />}
    </CardItem>
  );
}
