import { Compose } from '../../conversation/Compose.tsx';
import { GroupChat } from '../../conversation/GroupChat.tsx';
import { Text } from '../../ui/Basics.tsx';
import { useWords } from '../../words/WordsContext.tsx';
import { useRoomContext } from '../useRoom.ts';

const longest = 2_000;

/** The chat of the room. */
export function RoomChat() {
  const words = useWords().rooms;
  const { chat, address, say, room, isHost, isGranted } = useRoomContext();
  const isOpen = isHost || room?.settings.allowChat !== false;
  return (
    <GroupChat chat={chat} own={address} empty={words.chatHint} testId="room">
      {isOpen && isGranted('chat') ? (
        <Compose onSay={say} label={words.messageToRoom} longest={longest} testId="room" />
      ) : (
        <Text size="sm" isDimmed>
          {isOpen ? words.chatNotGranted : words.chatIsOff}
        </Text>
      )}
    </GroupChat>
  );
}
