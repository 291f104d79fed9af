import { CloseButton, Flex } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { BreakoutPanel } from './BreakoutPanel.tsx';
import classes from './InRoom.module.css';
import { People } from './People.tsx';
import { RoomChat } from './RoomChat.tsx';

export type PanelName = 'chat' | 'people' | 'breakouts';

const titles: Record<PanelName, string> = { chat: 'Chat', people: 'People', breakouts: 'Breakouts' };

/** A panel with the chat, the people or the breakouts. It is shown next to the tiles or, on a phone, on top of them. */
export function SidePanel({ name, onClose }: { name: PanelName; onClose: () => void }) {
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
      aria-label={titles[name]}
      data-testid={`panel-${name}`}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose();
      }}
    >
      <Flex component="header" align="center" justify="space-between">
        <h2 className={classes['title']}>{titles[name]}</h2>
        <CloseButton size="lg" aria-label={`Close ${titles[name].toLowerCase()}`} onClick={onClose} />
      </Flex>
      {name === 'chat' ? <RoomChat /> : name === 'people' ? <People /> : <BreakoutPanel />}
    </aside>
  );
}
