import { Menu, Tooltip, UnstyledButton } from '@mantine/core';
import { IconDoorExit, IconX } from '@tabler/icons-react';
import { useRoom } from '../useRoom.ts';
import classes from './InRoom.module.css';

/** Leaves the room. Hosts choose between leaving and ending it for everyone. */
export function LeaveButton() {
  const { controller, isHost } = useRoom();
  const button = (onClick?: () => void) => (
    <UnstyledButton
      className={`${classes['button']} ${classes['leave']}`}
      aria-label="Leave"
      data-testid="room-leave"
      {...(onClick ? { onClick } : {})}
    >
      <IconDoorExit />
      <span className={classes['wide']}>Leave</span>
    </UnstyledButton>
  );
  if (!isHost) return <Tooltip label="Leave">{button(() => void controller.leave())}</Tooltip>;
  return (
    <Menu position="top-end" width={260} shadow="lg" returnFocus>
      <Menu.Target>{button()}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<IconDoorExit size={18} />}
          onClick={() => void controller.leave()}
          data-testid="leave-room"
        >
          Leave room
        </Menu.Item>
        <Menu.Item
          color="brick"
          leftSection={<IconX size={18} />}
          onClick={() => void controller.end()}
          data-testid="end-room"
        >
          End room for everyone
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
