import { Shortcuts } from '../../ui/Shortcuts.tsx';
import { useWords } from '../../words/WordsContext.tsx';
import { useRoomContext } from '../useRoom.ts';

/** The list of the keys that control a room. */
export function RoomShortcuts({ onClose }: { onClose: () => void }) {
  const words = useWords().rooms;
  const { isHost, isGranted } = useRoomContext();
  const keys: [key: string, effect: string | false][] = [
    ['M', isGranted('microphone') && `${words.mute} / ${words.unmute}`],
    ['V', isGranted('camera') && `${words.cameraOff} / ${words.cameraOn}`],
    ['S', isGranted('screen') && `${words.shareScreen} / ${words.stopSharing}`],
    ['H', `${words.raiseHand} / ${words.lowerHand}`],
    ['C', words.showPanel(words.chat)],
    ['P', words.showPanel(words.peoplePanel)],
    ['B', isHost && words.showPanel(words.breakouts)],
    ['L', words.switchView],
    ['F', `${words.fullScreen} / ${words.exitFullScreen}`],
    ['?', words.shortcuts],
  ];
  return (
    <Shortcuts
      title={words.shortcuts}
      keys={keys.filter((each): each is [string, string] => each[1] !== false)}
      onClose={onClose}
    />
  );
}
