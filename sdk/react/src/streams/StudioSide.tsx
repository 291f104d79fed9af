import type { StreamChatMessage, Viewer } from '@parley/sdk';
import { IconTrash, IconUserMinus, IconUsers } from '@tabler/icons-react';
import { useState } from 'react';
import { Compose } from '../conversation/Compose.tsx';
import { GroupChat } from '../conversation/GroupChat.tsx';
import { PersonItem } from '../people/PersonSummary.tsx';
import { partyName } from '../people/partyName.ts';
import { Card, Empty, Text } from '../ui/Basics.tsx';
import { DotsMenu } from '../ui/DotsMenu.tsx';
import { Segments } from '../ui/Fields.tsx';
import { MenuItem } from '../ui/Menu.tsx';
import { useWords } from '../words/WordsContext.tsx';
import classes from './Streams.module.css';
import { longestMessage } from './streamState.ts';
import { useStudio } from './useStudio.ts';

/** The chat and the list of viewers. */
export function StudioSide() {
  const { controller, state } = useStudio();
  const words = useWords().streams;
  const [tab, setTab] = useState('chat');
  return (
    <Card role="complementary" className={classes['side']} aria-label={words.chatAndViewers}>
      <Segments
        label={words.chatAndViewers}
        value={tab}
        onChange={setTab}
        options={[
          { value: 'chat', label: words.chat },
          { value: 'viewers', label: words.viewers(state.stream?.viewerCount ?? 0) },
        ]}
        data-testid="studio-tab"
      />
      {tab === 'chat' ? (
        <GroupChat
          chat={state.chat}
          own={controller.address}
          empty={words.chatEmpty}
          actions={(said) => <MessageMenu said={said} />}
          testId="stream"
        >
          <Compose onSay={controller.say} label={words.toViewers} longest={longestMessage} testId="stream" />
        </GroupChat>
      ) : (
        <Viewers />
      )}
    </Card>
  );
}

function MessageMenu({ said: { message, sender } }: { said: StreamChatMessage }) {
  const { controller } = useStudio();
  const words = useWords().streams;
  const name = sender.displayName ?? partyName(sender.walletAddress);
  return (
    <DotsMenu label={words.actionsOnMessage(name)} size="sm" data-testid="message-menu">
      <MenuItem
        icon={<IconTrash size={18} aria-hidden />}
        onSelect={() => void controller.deleteMessage(message.id)}
        data-testid="delete-message"
      >
        {words.deleteMessage}
      </MenuItem>
      {message.from !== controller.address && <BanItem wallet={message.from} />}
    </DotsMenu>
  );
}

function BanItem({ wallet }: { wallet: string }) {
  const { controller } = useStudio();
  const { ban } = useWords().streams;
  return (
    <MenuItem
      isDanger
      icon={<IconUserMinus size={18} aria-hidden />}
      onSelect={() => void controller.ban(wallet)}
      data-testid="ban"
    >
      {ban(partyName(wallet))}
    </MenuItem>
  );
}

function Viewers() {
  const { controller, state } = useStudio();
  const words = useWords().streams;
  const { viewers, stream } = state;
  const more = (stream?.viewerCount ?? 0) - viewers.length;
  if (viewers.length === 0) {
    return (
      <Empty icon={IconUsers} title={words.noViewers}>
        {words.noViewersAdvice}
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
        <Text size="sm" isDimmed>
          {words.more(more)}
        </Text>
      )}
    </div>
  );
}

function ViewerItem({ viewer, isMe }: { viewer: Viewer; isMe: boolean }) {
  const words = useWords().streams;
  const { walletAddress, displayName, via } = viewer;
  const name = displayName ?? (walletAddress ? partyName(walletAddress) : words.guest);
  const way = { sdk: '', whep: words.withPlayer, hls: words.withHls }[via];
  return (
    <PersonItem
      data-testid="viewer"
      data-address={walletAddress ?? ''}
      address={walletAddress}
      name={name}
      facts={[isMe && words.you, way].filter(Boolean).join(' · ')}
    >
      {walletAddress && !isMe && (
        <DotsMenu label={words.actionsOn(name)} data-testid="viewer-menu">
          <BanItem wallet={walletAddress} />
        </DotsMenu>
      )}
    </PersonItem>
  );
}
