import {
  Ago,
  Avatar,
  Name,
  ProblemAlert,
  spokenDuration,
  useCall,
  usePartyName,
  usePlayedUrl,
} from '@parley/react';
import { ActionIcon, Badge, Box, Button, Flex, Group, Text } from '@mantine/core';
import { ParleyError, type Voicemail } from '@parley/sdk';
import { IconFileText, IconMessageCircle, IconPhone, IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { refresh } from '../../data/refresh.ts';
import { useAction } from '../../data/useAction.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { DeleteVoicemail } from './DeleteVoicemail.tsx';
import classes from './Voicemail.module.css';

/** A voicemail that can be played, read, answered and deleted. */
export function VoicemailItem({ voicemail }: { voicemail: Voicemail }) {
  const { id, from, duration, timestamp, isRead, audioUrl, transcription } = voicemail;
  const { client } = useSignedIn();
  const queryClient = useQueryClient();
  const { start } = useCall();
  const sender = usePartyName(from);
  const [isDeleting, setIsDeleting] = useState(false);
  const player = usePlayedUrl(audioUrl, () => void refresh(queryClient, 'voicemails'));
  const read = useAction(() => client.voicemail.markAsRead(id), { refreshes: ['voicemails'] });
  return (
    <Flex
      className="parley-card"
      component="li"
      direction="column"
      gap="0.875rem"
      data-testid="voicemail"
      data-from={from}
      data-read={isRead}
    >
      <Group gap="sm" wrap="nowrap">
        <Avatar address={from} size={40} />
        <Box flex={1} miw={0}>
          <Text truncate dir="auto" ta="match-parent" fw={isRead ? 400 : 700}>
            <Name address={from} />
          </Text>
          <Text size="sm" c="dimmed">
            <Ago at={timestamp} /> · {spokenDuration(duration)}
          </Text>
        </Box>
        {!isRead && <Badge>New</Badge>}
      </Group>
      <audio
        style={{ width: '100%' }}
        {...player}
        controls
        preload="none"
        aria-label={`Voicemail from ${sender}`}
        onPlay={() => {
          player.onPlay();
          if (!isRead) void read.run();
        }}
        data-testid="voicemail-player"
      />
      {transcription !== null && (
        <blockquote className={classes['said']} data-testid="transcription">
          {transcription || 'No speech was recognized.'}
        </blockquote>
      )}
      <Group gap="xs">
        {transcription === null && <Transcript id={id} />}
        <Button
          variant="default"
          leftSection={<IconPhone size={18} />}
          onClick={() => void start(from, 'audio')}
        >
          Call back
        </Button>
        <Button
          component={Link}
          href={`/chats/${from}`}
          variant="default"
          leftSection={<IconMessageCircle size={18} />}
        >
          Message
        </Button>
        <ActionIcon
          variant="subtle"
          color="brick"
          size="lg"
          ml="auto"
          aria-label={`Delete voicemail from ${sender}`}
          onClick={() => setIsDeleting(true)}
          data-testid="delete-voicemail"
        >
          <IconTrash size={20} />
        </ActionIcon>
      </Group>
      {isDeleting && <DeleteVoicemail id={id} from={from} onClose={() => setIsDeleting(false)} />}
    </Flex>
  );
}

function Transcript({ id }: { id: string }) {
  const { client } = useSignedIn();
  const [isMissing, setIsMissing] = useState(false);
  const transcribe = async () => {
    try {
      return await client.voicemail.transcribe(id);
    } catch (error) {
      // A busy server says when to retry; a server without transcription does not.
      if (!(error instanceof ParleyError && error.code === 'SERVICE_UNAVAILABLE' && !error.retryAfter))
        throw error;
      setIsMissing(true);
      return null;
    }
  };
  const { run, isRunning, problem } = useAction(transcribe, { refreshes: ['voicemails'] });
  if (isMissing) {
    return (
      <Text size="sm" c="dimmed" w="100%" role="status" data-testid="no-transcription">
        This server does not transcribe voicemail. Its operator can set this up (TRANSCRIPTION_URL).
      </Text>
    );
  }
  return (
    <>
      {problem && <ProblemAlert problem={problem} />}
      <Button
        variant="default"
        leftSection={<IconFileText size={18} />}
        loading={isRunning}
        onClick={() => void run()}
        data-testid="transcribe"
      >
        Transcribe
      </Button>
    </>
  );
}
