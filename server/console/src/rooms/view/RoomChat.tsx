import { Compose, GroupChat } from '@parley/react';
import { Text } from '@mantine/core';
import { useRoom } from '../useRoom.ts';

const longest = 2_000;

/** The chat of the room, which lasts as long as the room. */
export function RoomChat() {
  const { controller, state, isHost, isGranted } = useRoom();
  const isOpen = isHost || state.room?.settings.allowChat !== false;
  return (
    <GroupChat
      chat={state.chat}
      own={controller.address}
      empty="Everyone in the room sees the chat. It is deleted when the room ends."
      testId="room"
    >
      {isOpen && isGranted('chat') ? (
        <Compose onSay={controller.say} label="Message to the room" longest={longest} testId="room" />
      ) : (
        <Text size="sm" c="dimmed">
          {isOpen ? 'Your link does not let you write in this room.' : 'Only hosts can write in this room.'}
        </Text>
      )}
    </GroupChat>
  );
}
