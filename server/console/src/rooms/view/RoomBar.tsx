import { Menu, Tooltip, UnstyledButton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import {
  IconDots,
  IconHandStop,
  IconLayoutGrid,
  IconLayoutSidebarRight,
  IconMessageCircle,
  IconMicrophone,
  IconMicrophoneOff,
  IconScreenShare,
  IconScreenShareOff,
  IconSitemap,
  IconUsers,
  IconVideo,
  IconVideoOff,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useRoom } from '../useRoom.ts';
import { DeviceItems } from './DeviceItems.tsx';
import classes from './InRoom.module.css';
import { LeaveButton } from './LeaveButton.tsx';
import type { PanelName } from './SidePanel.tsx';

export type Layout = 'grid' | 'speaker';

interface Props {
  panel: PanelName | null;
  onPanel: (name: PanelName) => void;
  layout: Layout;
  onLayout: () => void;
}

const canShare = 'getDisplayMedia' in (navigator.mediaDevices ?? {});

/** The controls of a room. On a phone, the less important ones are in a menu. */
export function RoomBar({ panel, onPanel, layout, onLayout }: Props) {
  const { controller, state, me, isHost, isGranted } = useRoom();
  const isNarrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });
  const { own, room, participants, unread, waiters } = state;
  const isViewer = me?.role === 'viewer';
  const maySendScreen = !isViewer && (me?.role === 'host' || room?.settings.allowScreenShare !== false);
  const hasScreen = canShare && isGranted('screen');
  const hands = participants.filter(({ id, handRaised }) => handRaised && id !== me?.id).length;
  const layoutLabel = layout === 'grid' ? 'Speaker view' : 'Grid view';
  const share = () => void controller.toggleScreen();
  const raise = () => void controller.toggleHand();
  return (
    <div className={classes['bar']} role="toolbar" aria-label="Room controls">
      {isGranted('microphone') && (
        <RoomButton
          label="Microphone"
          hint={own.audio ? 'Mute (M)' : 'Unmute (M)'}
          isOff={!own.audio}
          isDisabled={isViewer || room?.audio === false}
          onClick={() => void controller.toggleAudio()}
          testId="room-mic"
        >
          {own.audio ? <IconMicrophone /> : <IconMicrophoneOff />}
        </RoomButton>
      )}
      {isGranted('camera') && (
        <RoomButton
          label="Camera"
          hint={own.video ? 'Turn camera off (V)' : 'Turn camera on (V)'}
          isOff={!own.video}
          isDisabled={isViewer || room?.video === false}
          onClick={() => void controller.toggleVideo()}
          testId="room-camera"
        >
          {own.video ? <IconVideo /> : <IconVideoOff />}
        </RoomButton>
      )}
      {!isNarrow && hasScreen && (
        <RoomButton
          label="Share your screen"
          hint={own.screen ? 'Stop sharing (S)' : 'Share your screen (S)'}
          isOn={own.screen}
          isDisabled={!maySendScreen}
          onClick={share}
          testId="room-share"
        >
          {own.screen ? <IconScreenShareOff /> : <IconScreenShare />}
        </RoomButton>
      )}
      {!isNarrow && (
        <RoomButton
          label="Raise your hand"
          hint={own.handRaised ? 'Lower your hand (H)' : 'Raise your hand (H)'}
          isOn={own.handRaised}
          onClick={raise}
          testId="room-hand"
        >
          <IconHandStop />
        </RoomButton>
      )}
      <RoomButton
        label={unread > 0 ? `Chat, ${unread} unread` : 'Chat'}
        hint="Chat (C)"
        isOn={panel === 'chat'}
        count={unread}
        onClick={() => onPanel('chat')}
        testId="room-chat"
      >
        <IconMessageCircle />
      </RoomButton>
      <RoomButton
        label={waiters.length > 0 ? `People, ${waiters.length} waiting` : 'People'}
        hint="People (P)"
        isOn={panel === 'people'}
        count={waiters.length || hands}
        onClick={() => onPanel('people')}
        testId="room-people"
      >
        <IconUsers />
      </RoomButton>
      <Menu position="top" width={290} shadow="lg" returnFocus>
        <Tooltip label="More">
          <Menu.Target>
            <UnstyledButton className={classes['button']} aria-label="More" data-testid="room-more">
              <IconDots />
            </UnstyledButton>
          </Menu.Target>
        </Tooltip>
        <Menu.Dropdown mah="70dvh" style={{ overflowY: 'auto' }}>
          <Menu.Item
            leftSection={
              layout === 'grid' ? <IconLayoutSidebarRight size={18} /> : <IconLayoutGrid size={18} />
            }
            onClick={onLayout}
            data-testid="room-layout"
          >
            {layoutLabel}
          </Menu.Item>
          {isHost && (
            <Menu.Item
              leftSection={<IconSitemap size={18} />}
              onClick={() => onPanel('breakouts')}
              data-testid="room-breakouts"
            >
              Breakouts
            </Menu.Item>
          )}
          {isNarrow && (
            <Menu.Item leftSection={<IconHandStop size={18} />} onClick={raise} data-testid="room-hand">
              {own.handRaised ? 'Lower your hand' : 'Raise your hand'}
            </Menu.Item>
          )}
          {isNarrow && hasScreen && maySendScreen && (
            <Menu.Item leftSection={<IconScreenShare size={18} />} onClick={share} data-testid="room-share">
              {own.screen ? 'Stop sharing' : 'Share your screen'}
            </Menu.Item>
          )}
          <DeviceItems />
        </Menu.Dropdown>
      </Menu>
      <LeaveButton />
    </div>
  );
}

interface RoomButtonProps {
  /** The name of the control. It stays the same while the state changes. */
  label: string;
  /** The effect of a click in the current state. */
  hint: string;
  /** Whether something that is usually on, such as the microphone, is off. The button is then highlighted. */
  isOff?: boolean;
  isOn?: boolean;
  isDisabled?: boolean;
  count?: number;
  onClick: () => void;
  testId: string;
  children: ReactNode;
}

function RoomButton(props: RoomButtonProps) {
  const {
    label,
    hint,
    isOff = false,
    isOn,
    isDisabled = false,
    count = 0,
    onClick,
    testId,
    children,
  } = props;
  return (
    <Tooltip label={hint}>
      <UnstyledButton
        className={classes['button']}
        aria-label={label}
        aria-pressed={isOn ?? !isOff}
        data-off={isOff}
        data-on={isOn ?? false}
        disabled={isDisabled}
        onClick={onClick}
        data-testid={testId}
      >
        {children}
        {count > 0 && (
          <span className={classes['count']} aria-hidden data-testid={`${testId}-count`}>
            {count > 99 ? '99+' : count}
          </span>
        )}
      </UnstyledButton>
    </Tooltip>
  );
}
