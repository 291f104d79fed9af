import { IconX } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { IconButton } from '../../ui/Button.tsx';
import { useWords } from '../../words/WordsContext.tsx';
import { BreakoutPanel } from './BreakoutPanel.tsx';
import classes from './InRoom.module.css';
import { People } from './People.tsx';
import { RoomChat } from './RoomChat.tsx';

export type PanelName = 'chat' | 'people' | 'breakouts';

/** A panel with the chat, the people or the breakouts. It is shown next to the tiles or, on a phone, on top of them. */
export function SidePanel({ name, onClose }: { name: PanelName; onClose: () => void }) {
  const words = useWords().rooms;
  const titles: Record<PanelName, string> = {
    chat: words.chat,
    people: words.peoplePanel,
    breakouts: words.breakouts,
  };
  const title = titles[name];
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    panel.current?.focus();
    // Returns the focus to the button that opened the panel.
    return () => {
      if (before?.isConnected) before.focus();
    };
  }, [name]);
  return (
    <aside
      ref={panel}
      tabIndex={-1}
      className={classes['panel']}
      aria-label={title}
      data-testid={`panel-${name}`}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.defaultPrevented) onClose();
      }}
    >
      <div className={classes['panelTop']}>
        <h2 className={classes['title']}>{title}</h2>
        <IconButton label={words.closePanel(title)} onClick={onClose}>
          <IconX size={18} aria-hidden />
        </IconButton>
      </div>
      {name === 'chat' ? <RoomChat /> : name === 'people' ? <People /> : <BreakoutPanel />}
    </aside>
  );
}
