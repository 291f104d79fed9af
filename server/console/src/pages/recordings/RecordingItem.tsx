import { ActionIcon, Button, Text } from '@mantine/core';
import type { Recording } from '@parley/sdk';
import { IconDownload, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { Ago } from '../../ui/Ago.tsx';
import classes from '../rooms/RoomsPage.module.css';
import { DeleteRecording } from './DeleteRecording.tsx';
import { factsOf, fileWords, hintsOf, titleOf } from './recordingWords.ts';

/** One recording: a film for each who was recorded. */
export function RecordingItem({ recording }: { recording: Recording }) {
  const { id, status, startedAt, files } = recording;
  const [isDeleting, setIsDeleting] = useState(false);
  const title = titleOf(recording);
  const isSettled = status === 'ready' || status === 'failed';
  return (
    <li
      className={`parley-card ${classes['item']}`}
      data-testid="recording"
      data-recording={id}
      data-status={status}
    >
      <div className={classes['words']}>
        <div className={classes['name']}>{title}</div>
        <Text size="sm" c="dimmed">
          {factsOf(recording)} · <Ago at={startedAt} />
        </Text>
        {hintsOf(recording).map((hint) => (
          <Text key={hint} size="sm" c="dimmed" mt={4}>
            {hint}
          </Text>
        ))}
      </div>
      <div className={classes['tools']}>
        {files.map((file) => (
          <Button
            key={file.id}
            component="a"
            href={file.url}
            download
            variant="light"
            leftSection={<IconDownload size={18} />}
            data-testid="download-recording"
          >
            {fileWords(recording, file)}
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
      </div>
      {isDeleting && <DeleteRecording id={id} title={title} onClose={() => setIsDeleting(false)} />}
    </li>
  );
}
