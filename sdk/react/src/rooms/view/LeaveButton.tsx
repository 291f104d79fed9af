import { IconDoorExit, IconX } from '@tabler/icons-react';
import { forwardRef, type ComponentPropsWithoutRef } from 'react';
import { classNames } from '../../ui/classNames.ts';
import { Menu, MenuItem } from '../../ui/Menu.tsx';
import { Tooltip } from '../../ui/Tooltip.tsx';
import { useWords } from '../../words/WordsContext.tsx';
import { useRoomContext } from '../useRoom.ts';
import classes from './InRoom.module.css';

/** Leaves the room. Hosts choose between leaving and ending it for everyone. */
export function LeaveButton() {
  const words = useWords().rooms;
  const { leave, host, isHost } = useRoomContext();
  if (!isHost)
    return (
      <Tooltip label={words.leave}>
        <Door onClick={() => void leave()} />
      </Tooltip>
    );
  return (
    <Menu side="top" trigger={<Door />}>
      <MenuItem
        icon={<IconDoorExit size={18} aria-hidden />}
        onSelect={() => void leave()}
        data-testid="leave-room"
      >
        {words.leaveRoom}
      </MenuItem>
      <MenuItem
        isDanger
        icon={<IconX size={18} aria-hidden />}
        onSelect={() => void host.end()}
        data-testid="end-room"
      >
        {words.endRoom}
      </MenuItem>
    </Menu>
  );
}

const Door = forwardRef<HTMLButtonElement, ComponentPropsWithoutRef<'button'>>(function Door(props, ref) {
  const { leave } = useWords().rooms;
  return (
    <button
      ref={ref}
      type="button"
      className={classNames(classes['button'], classes['leave'])}
      aria-label={leave}
      data-testid="room-leave"
      {...props}
    >
      <IconDoorExit aria-hidden />
      <span className={classes['wide']}>{leave}</span>
    </button>
  );
});
