import { Identicon, ProblemAlert } from '@parley/react';
import { shortAddress } from '@parley/sdk';
import { ActionIcon, Flex, Group, Menu, Text } from '@mantine/core';
import {
  IconBan,
  IconCopy,
  IconDotsVertical,
  IconMicrophone,
  IconPhone,
  IconVideo,
} from '@tabler/icons-react';
import { BackToThreads } from '../../conversation/BackToThreads.tsx';
import { useAction } from '../../data/useAction.ts';
import { useCalls, useSignedIn, useWalletData } from '../../session/ParleyClient.tsx';
import own from './Chats.module.css';

interface Props {
  peer: string;
  isBlocked: boolean;
}

/** The heading of a chat: the other wallet, and buttons to call it, leave a voicemail or block it. */
export function ChatHeading({ peer, isBlocked }: Props) {
  const { controller } = useCalls();
  const { leavingVoicemailFor } = useWalletData();
  const { calls } = useSignedIn().client;
  const { run, problem } = useAction(() => (isBlocked ? calls.unblock(peer) : calls.block(peer)), {
    refreshes: ['blocked'],
  });
  const round = { variant: 'subtle', color: 'gray', size: 'lg' } as const;
  return (
    <>
      <Flex component="header" align="center" gap={8}>
        <BackToThreads href="/chats" />
        <Identicon address={peer} size={32} />
        <h2 className={own['name']} title={peer} data-testid="chat-with" data-peer={peer}>
          {shortAddress(peer)}
        </h2>
        <Group gap={0} wrap="nowrap" flex="none" ml="auto">
          <ActionIcon
            {...round}
            aria-label="Audio call"
            title="Audio call"
            onClick={() => void controller.start(peer, 'audio')}
            data-testid="chat-call"
          >
            <IconPhone size={20} />
          </ActionIcon>
          <ActionIcon
            {...round}
            aria-label="Video call"
            title="Video call"
            onClick={() => void controller.start(peer, 'video')}
          >
            <IconVideo size={20} />
          </ActionIcon>
          <Menu position="bottom-end" width={240} shadow="md">
            <Menu.Target>
              <ActionIcon {...round} aria-label="More actions" data-testid="chat-menu">
                <IconDotsVertical size={20} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item
                leftSection={<IconMicrophone size={18} />}
                onClick={() => leavingVoicemailFor.set(peer)}
                data-testid="chat-voicemail"
              >
                Leave a voicemail
              </Menu.Item>
              <Menu.Item
                leftSection={<IconCopy size={18} />}
                onClick={() => void navigator.clipboard.writeText(peer)}
              >
                Copy address
              </Menu.Item>
              <Menu.Item
                leftSection={<IconBan size={18} />}
                {...(isBlocked ? {} : { color: 'brick' })}
                onClick={() => void run()}
                data-testid="chat-block"
              >
                {isBlocked ? 'Unblock' : 'Block'}
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </Group>
      </Flex>
      {problem && <ProblemAlert problem={problem} />}
      {isBlocked && (
        <Text size="xs" c="dimmed" data-testid="is-blocked">
          Blocked
        </Text>
      )}
    </>
  );
}
