import {
  IconAdjustmentsHorizontal,
  IconCameraRotate,
  IconDots,
  IconHandStop,
  IconKeyboard,
  IconLayoutGrid,
  IconLayoutSidebarRight,
  IconMaximize,
  IconMinimize,
  IconPictureInPicture,
  IconScreenShare,
  IconSitemap,
} from '@tabler/icons-react';
import { useState } from 'react';
import { DeviceSettings } from '../../devices/DeviceSettings.tsx';
import { useFlipCamera } from '../../devices/useFlipCamera.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { Menu, MenuItem } from '../../ui/Menu.tsx';
import { useMediaQuery } from '../../ui/useMediaQuery.ts';
import { useWords } from '../../words/WordsContext.tsx';
import { useRoomContext } from '../useRoom.ts';
import { BarButton } from './BarButton.tsx';
import type { ControlBarProps } from './controlBarProps.ts';
import { usePictureInPicture } from './PictureInPicture.tsx';
import { RoomShortcuts } from './RoomShortcuts.tsx';

type Props = ControlBarProps & { canShare: boolean };

/** The controls of a room that are used less often. */
export function MoreMenu(props: Props) {
  const {
    layout = 'grid',
    onLayout,
    onPanel,
    onFullscreen,
    isFullscreen = false,
    isNarrow,
    canShare,
  } = props;
  const {
    rooms: words,
    devices: { flipCamera },
  } = useWords();
  const { controller, local, sending, isHost, isGranted } = useRoomContext();
  const [dialog, setDialog] = useState<'devices' | 'shortcuts' | null>(null);
  const picture = usePictureInPicture();
  const flip = useFlipCamera();
  const hasKeyboard = useMediaQuery('(hover: hover)');
  const isSending = isGranted('camera') || isGranted('microphone');
  return (
    <>
      <Menu
        side="top"
        align="center"
        tooltip={words.more}
        trigger={
          <BarButton name={words.more} data-testid="room-more">
            <IconDots aria-hidden />
          </BarButton>
        }
      >
        <MenuItem
          icon={<IconAdjustmentsHorizontal size={18} aria-hidden />}
          onSelect={() => setDialog('devices')}
          data-testid="room-devices"
        >
          {isSending ? words.devices : words.speaker}
        </MenuItem>
        {flip && sending.video && (
          <MenuItem
            icon={<IconCameraRotate size={18} aria-hidden />}
            onSelect={flip}
            data-testid="room-flip-camera"
          >
            {flipCamera}
          </MenuItem>
        )}
        {onLayout && (
          <MenuItem
            icon={
              layout === 'grid' ? (
                <IconLayoutSidebarRight size={18} aria-hidden />
              ) : (
                <IconLayoutGrid size={18} aria-hidden />
              )
            }
            onSelect={onLayout}
            data-testid="room-layout"
          >
            {layout === 'grid' ? words.speakerView : words.gridView}
          </MenuItem>
        )}
        {isHost && onPanel && (
          <MenuItem
            icon={<IconSitemap size={18} aria-hidden />}
            onSelect={() => onPanel('breakouts')}
            data-testid="room-breakouts"
          >
            {words.breakouts}
          </MenuItem>
        )}
        {isNarrow && (
          <MenuItem
            icon={<IconHandStop size={18} aria-hidden />}
            onSelect={() => void controller.toggleHand()}
            data-testid="room-hand"
          >
            {sending.handRaised ? words.lowerHand : words.raiseHand}
          </MenuItem>
        )}
        {isNarrow && canShare && (
          <MenuItem
            icon={<IconScreenShare size={18} aria-hidden />}
            onSelect={() => void controller.toggleScreen()}
            data-testid="room-share"
          >
            {sending.screen ? words.stopSharing : words.shareScreen}
          </MenuItem>
        )}
        {picture.isPossible && (
          <MenuItem
            icon={<IconPictureInPicture size={18} aria-hidden />}
            isChecked={picture.isOn}
            onSelect={picture.toggle}
            data-testid="room-picture-in-picture"
          >
            {words.pictureInPicture}
          </MenuItem>
        )}
        {onFullscreen && (
          <MenuItem
            icon={
              isFullscreen ? <IconMinimize size={18} aria-hidden /> : <IconMaximize size={18} aria-hidden />
            }
            onSelect={onFullscreen}
            data-testid="room-fullscreen"
          >
            {isFullscreen ? words.exitFullScreen : words.fullScreen}
          </MenuItem>
        )}
        {hasKeyboard && (
          <MenuItem
            icon={<IconKeyboard size={18} aria-hidden />}
            onSelect={() => setDialog('shortcuts')}
            data-testid="room-shortcuts"
          >
            {words.shortcuts}
          </MenuItem>
        )}
      </Menu>
      {picture.video}
      {dialog === 'devices' && (
        <Dialog title={words.devices} onClose={() => setDialog(null)} data-testid="device-dialog">
          <DeviceSettings
            hasCamera={isGranted('camera')}
            hasMicrophone={isGranted('microphone')}
            local={local.stream}
          />
        </Dialog>
      )}
      {dialog === 'shortcuts' && <RoomShortcuts onClose={() => setDialog(null)} />}
    </>
  );
}
