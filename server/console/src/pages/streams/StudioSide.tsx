import { ActionIcon, Menu, SegmentedControl, Text } from '@mantine/core';
import type { StreamChatMessage, Viewer } from '@parley/sdk';
import { IconDots, IconTrash, IconUser, IconUserMinus, IconUsers } from '@tabler/icons-react';
import { useState } from 'react';
import { Compose, Talk } from '../../conversation/Talk.tsx';
import { longestMessage } from '../../streams/longestMessage.ts';
import classes from '../../streams/Streams.module.css';
import { useStudio } from '../../streams/useStudio.ts';
import { Empty } from '../../ui/Empty.tsx';
import { Identicon } from '../../ui/Identicon.tsx';
import { shortAddress } from '../../ui/format.ts';
import { inDigits } from '../../ui/numbers.ts';

type Tab = 'chat' | 'viewers';

/** What viewers say, and who they are. */
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
        <Talk
          chat={state.chat}
          own={controller.address}
          empty="Everybody who watches reads it. It is gone when the stream is over."
          actions={(said) => <MessageMenu said={said} />}
          testId="stream"
        >
          <Compose
            onSay={controller.say}
            label="Your message to the viewers"
            longest={longestMessage}
            testId="stream"
          />
        </Talk>
      ) : (
        <Viewers />
      )}
    </aside>
  );
}

function MessageMenu({ said: { message, sender } }: { said: StreamChatMessage }) {
  const { controller } = useStudio();
  const name = sender.displayName ?? shortAddress(sender.walletAddress);
  return (
    <Menu position="bottom-end" width={220} shadow="lg" returnFocus>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          aria-label={`What to do with this message of ${name}`}
          data-testid="message-menu"
        >
          <IconDots size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<IconTrash size={18} />}
          onClick={() => void controller.deleteMessage(message.id)}
          data-testid="delete-message"
        >
          Take it back
        </Menu.Item>
        {message.from !== controller.address && <BanItem wallet={message.from} />}
      </Menu.Dropdown>
    </Menu>
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
      Put {shortAddress(wallet)} out
    </Menu.Item>
  );
}

const ways: Record<Viewer['via'], string> = { sdk: '', whep: 'player', hls: 'HLS' };

function Viewers() {
  const { controller, state } = useStudio();
  const { viewers, stream } = state;
  const more = (stream?.viewerCount ?? 0) - viewers.length;
  if (viewers.length === 0) {
    return (
      <Empty icon={IconUsers} title="Nobody watches yet">
        Whoever does appears here: wallets by their address, others as guests.
      </Empty>
    );
  }
  return (
    <div className={classes['sideBody']}>
      <ul className={classes['viewers']}>
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
  const name = displayName ?? (walletAddress ? shortAddress(walletAddress) : 'Guest');
  const facts = [isMe && 'you', ways[via]].filter(Boolean).join(', ');
  return (
    <li className={classes['viewer']} data-testid="viewer" data-address={walletAddress ?? ''}>
      {walletAddress ? (
        <Identicon address={walletAddress} size={32} />
      ) : (
        <span className={classes['guest']}>
          <IconUser size={18} aria-hidden />
        </span>
      )}
      <span className={classes['viewerWords']} title={walletAddress ?? undefined}>
        {name}
        {facts && (
          <Text span size="sm" c="dimmed">
            {' '}
            ({facts})
          </Text>
        )}
      </span>
      {walletAddress && !isMe && (
        <Menu position="bottom-end" width={220} shadow="lg" returnFocus>
          <Menu.Target>
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              aria-label={`What to do with ${name}`}
              data-testid="viewer-menu"
            >
              <IconDots size={18} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <BanItem wallet={walletAddress} />
          </Menu.Dropdown>
        </Menu>
      )}
    </li>
  );
}
