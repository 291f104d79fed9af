import { isGroup } from '@parley/sdk';
import {
  IconArrowLeft,
  IconBan,
  IconCopy,
  IconDotsVertical,
  IconMicrophone,
  IconPhone,
  IconSearch,
  IconVideo,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useCall } from '../calls/useCall.ts';
import { useServices } from '../core/ParleyProvider.tsx';
import { useAction } from '../core/useAction.ts';
import { GroupHeading } from '../groups/GroupHeading.tsx';
import { Avatar } from '../people/Avatar.tsx';
import { Name } from '../people/Name.tsx';
import { ProblemAlert } from '../problems/ProblemAlert.tsx';
import { Text } from '../ui/Basics.tsx';
import { IconButton } from '../ui/Button.tsx';
import { copyText } from '../ui/copyText.ts';
import { Menu, MenuItem } from '../ui/Menu.tsx';
import { Tooltip } from '../ui/Tooltip.tsx';
import { useWords } from '../words/WordsContext.tsx';
import classes from './Chats.module.css';
import { useBlocked } from './useChat.ts';

interface Props {
  peer: string;
  isSearching: boolean;
  onSearch: () => void;
  onBack?: () => void;
  hasCalls?: boolean;
  onVoicemail?: (to: string) => void;
  tools: ReactNode;
}

/** The heading of a chat: the group, or the other wallet with buttons to call it, leave a voicemail or block it; and the search. */
export function ChatHeading({ peer, isSearching, onSearch, onBack, hasCalls, onVoicemail, tools }: Props) {
  const { chats: words, conversation } = useWords();
  const blocked = useBlocked(peer);
  const block = useAction(() => blocked.set(!blocked.isBlocked));
  const isWallet = !isGroup(peer);
  return (
    <>
      <header className={classes['heading']}>
        {onBack && (
          <IconButton
            label={conversation.back}
            className={classes['back']}
            onClick={onBack}
            data-testid="back-to-threads"
          >
            <IconArrowLeft size={20} aria-hidden data-parley-pointing />
          </IconButton>
        )}
        {isWallet ? (
          <>
            <Avatar address={peer} size={32} />
            <h2 className={classes['name']} dir="auto" data-testid="chat-with" data-peer={peer}>
              <Name address={peer} />
            </h2>
          </>
        ) : (
          <GroupHeading id={peer} />
        )}
        <div className={classes['tools']}>
          {hasCalls && isWallet && <CallButtons peer={peer} />}
          <Tooltip label={words.searchThis}>
            <IconButton
              label={words.searchThis}
              aria-pressed={isSearching}
              onClick={onSearch}
              data-testid="search-chat"
            >
              <IconSearch size={20} aria-hidden />
            </IconButton>
          </Tooltip>
          {isWallet && (
            <WalletMenu
              peer={peer}
              isBlocked={blocked.isBlocked}
              onBlock={() => void block.run()}
              onVoicemail={onVoicemail}
            />
          )}
          {tools}
        </div>
      </header>
      {block.problem && <ProblemAlert problem={block.problem} />}
      {blocked.isBlocked && (
        <Text size="xs" isDimmed data-testid="is-blocked">
          {words.blocked}
        </Text>
      )}
    </>
  );
}

interface MenuProps {
  peer: string;
  isBlocked: boolean;
  /** Blocks or unblocks the wallet. */
  onBlock: () => void;
  onVoicemail: Props['onVoicemail'];
}

function WalletMenu({ peer, isBlocked, onBlock, onVoicemail }: MenuProps) {
  const words = useWords().chats;
  const { report } = useServices();
  return (
    <Menu
      trigger={
        <IconButton label={words.more} data-testid="chat-menu">
          <IconDotsVertical size={20} aria-hidden />
        </IconButton>
      }
    >
      {onVoicemail && (
        <MenuItem
          icon={<IconMicrophone size={18} aria-hidden />}
          onSelect={() => onVoicemail(peer)}
          data-testid="chat-voicemail"
        >
          {words.voicemail}
        </MenuItem>
      )}
      <MenuItem icon={<IconCopy size={18} aria-hidden />} onSelect={() => void copyText(peer).catch(report)}>
        {words.copyAddress}
      </MenuItem>
      <MenuItem
        icon={<IconBan size={18} aria-hidden />}
        isDanger={!isBlocked}
        onSelect={onBlock}
        data-testid="chat-block"
      >
        {isBlocked ? words.unblock : words.block}
      </MenuItem>
    </Menu>
  );
}

function CallButtons({ peer }: { peer: string }) {
  const { start } = useCall();
  const words = useWords().chats;
  return (
    <>
      <Tooltip label={words.audioCall}>
        <IconButton label={words.audioCall} onClick={() => void start(peer, 'audio')} data-testid="chat-call">
          <IconPhone size={20} aria-hidden />
        </IconButton>
      </Tooltip>
      <Tooltip label={words.videoCall}>
        <IconButton label={words.videoCall} onClick={() => void start(peer, 'video')}>
          <IconVideo size={20} aria-hidden />
        </IconButton>
      </Tooltip>
    </>
  );
}
