import { Compose, GroupChat, partyName, PersonItem } from '@parley/react';
import { Menu, SegmentedControl, Text } from '@mantine/core';
import type { StreamChatMessage, Viewer } from '@parley/sdk';
import { IconTrash, IconUserMinus, IconUsers } from '@tabler/icons-react';
import { useState } from 'react';
import { longestMessage } from '../../streams/longestMessage.ts';
import classes from '../../streams/Streams.module.css';
import { useStudio } from '../../streams/useStudio.ts';
import { DotsMenu } from '../../ui/DotsMenu.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { inDigits } from '../../ui/numbers.ts';

type Tab = 'chat' | 'viewers';

/** The chat and the list of viewers. */
export function StudioSide() {
  const { controller, state } = useStudio();
  const [tab, setTab] = useState<Tab>('chat');
  const count = state.stream?.viewerCount ?? 0;
  return (
    <aside className={`parley-card ${classes['side']}`} aria-label="Chat and viewers">
      <SegmentedControl
        aria-label="Chat or viewers"
        value={tab}
        onChange={(value) => setTab(value)}
        data={[
          { value: 'chat', label: 'Chat' },
          { value: 'viewers', label: count > 0 ? `Viewers (${inDigits(count)})` : 'Viewers' },
        ]}
        data-testid="studio-tab"
      />
      {tab === 'chat' ? (
        <GroupChat
          chat={state.chat}
          own={controller.address}
          empty="All viewers see the chat. It is deleted when the stream ends."
          actions={(said) => <MessageMenu said={said} />}
          testId="stream"
        >
          <Compose
            onSay={controller.say}
            label="Message to the viewers"
            longest={longestMessage}
            testId="stream"
          />
        </GroupChat>
      ) : (
        <Viewers />
      )}
    </aside>
  );
}

function MessageMenu({ said: { message, sender } }: { said: StreamChatMessage }) {
  const { controller } = useStudio();
  const name = sender.displayName ?? partyName(sender.walletAddress);
  return (
    <DotsMenu label={`Actions for this message from ${name}`} size="sm" testId="message-menu">
      <Menu.Item
        leftSection={<IconTrash size={18} />}
        onClick={() => void controller.deleteMessage(message.id)}
        data-testid="delete-message"
      >
        Delete message
      </Menu.Item>
      {message.from !== controller.address && <BanItem wallet={message.from} />}
    </DotsMenu>
  );
}

function BanItem({ wallet }: { wallet: string }) {
  const { controller } = useStudio();
  return (
    <Menu.Item
      color="brick"
      leftSection={<IconUserMinus size={18} />}
      onClick={() => void controller.ban(wallet)}
      data-testid="ban"
    >
      Ban {partyName(wallet)}
    </Menu.Item>
  );
}

const ways: Record<Viewer['via'], string> = { sdk: '', whep: 'with a player', hls: 'with HLS' };

function Viewers() {
  const { controller, state } = useStudio();
  const { viewers, stream } = state;
  const more = (stream?.viewerCount ?? 0) - viewers.length;
  if (viewers.length === 0) {
    return (
      <Empty icon={IconUsers} title="No viewers yet">
        Viewers appear here: wallets by their address, others as guests.
      </Empty>
    );
  }
  return (
    <div className={classes['sideBody']}>
      <ul>
        {viewers.map((viewer) => (
          <ViewerItem key={viewer.id} viewer={viewer} isMe={viewer.walletAddress === controller.address} />
        ))}
      </ul>
      {more > 0 && (
        <Text size="sm" c="dimmed" mt="sm">
          and {inDigits(more)} more
        </Text>
      )}
    </div>
  );
}

function ViewerItem({ viewer, isMe }: { viewer: Viewer; isMe: boolean }) {
  const { walletAddress, displayName, via } = viewer;
  const name = displayName ?? (walletAddress ? partyName(walletAddress) : 'Guest');
  const facts = [isMe && 'You', ways[via]].filter(Boolean).join(' · ');
  return (
    <PersonItem
      data-testid="viewer"
      data-address={walletAddress ?? ''}
      address={walletAddress}
      name={name}
      facts={facts}
    >
      {walletAddress && !isMe && (
        <DotsMenu label={`Actions for ${name}`} testId="viewer-menu">
          <BanItem wallet={walletAddress} />
        </DotsMenu>
      )}
    </PersonItem>
  );
}
