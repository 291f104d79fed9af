import { Identicon, partyName } from '@parley/react';
import { Box, Button, Flex, Group, Stack } from '@mantine/core';
import type { LiveStream } from '@parley/sdk';
import { Link } from 'wouter';
import streams from '../../streams/Streams.module.css';
import { StreamFacts } from '../../streams/StreamFacts.tsx';
import type { WatchController } from '../../streams/watch/WatchController.ts';
import type { WatchState } from '../../streams/watch/watchState.ts';
import { Player } from './Player.tsx';
import { WatchChat } from './WatchChat.tsx';

interface Props {
  controller: WatchController;
  state: WatchState;
  stream: LiveStream;
  /** null for a viewer without a wallet. */
  address: string | null;
}

/** A stream: the video, its title and host, and the chat. */
export function WatchView({ controller, state, stream, address }: Props) {
  const isHost = address === stream.host;
  const hasChat = state.phase === 'open';
  return (
    <div
      className={hasChat ? streams['columns'] : `${streams['single']} ${streams['centred']}`}
      data-testid="watch"
      data-phase={state.phase}
      data-way={state.way}
    >
      <div className={streams['main']}>
        <Player controller={controller} state={state} stream={stream} />
        <Stack gap="0.875rem">
          <Flex
            component="header"
            wrap="wrap"
            justify="space-between"
            align="flex-start"
            gap="0.75rem 1.5rem"
          >
            <Box flex="1 1 14rem" miw={0}>
              <h1 className={streams['title']}>{stream.title}</h1>
              <StreamFacts stream={stream} />
            </Box>
            {isHost && (
              <Button component={Link} href={`/streams/${stream.id}`} variant="light">
                Manage stream
              </Button>
            )}
          </Flex>
          <Group gap="xs" wrap="nowrap" fz="sm" c="dimmed">
            <Identicon address={stream.host} size={32} />
            <span title={stream.host}>{isHost ? 'You' : partyName(stream.host)}</span>
          </Group>
          {stream.description && <p className={streams['description']}>{stream.description}</p>}
        </Stack>
      </div>
      {hasChat && <WatchChat controller={controller} chat={state.chat} own={address} />}
    </div>
  );
}
