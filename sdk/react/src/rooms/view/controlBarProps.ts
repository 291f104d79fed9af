import type { PanelName } from './SidePanel.tsx';

export type RoomLayout = 'grid' | 'speaker';

export interface ControlBarProps {
  /** The panel that is open. @default none */
  panel?: PanelName | null;
  /** Opens or closes a panel. Without it, the bar has no buttons for panels. */
  onPanel?: ((name: PanelName) => void) | undefined;
  /** @default 'grid' */
  layout?: RoomLayout;
  /** Changes the layout. Without it, the menu has no entry for this. */
  onLayout?: (() => void) | undefined;
  /** Switches full screen. Without it, the menu has no entry for this. */
  onFullscreen?: (() => void) | undefined;
  isFullscreen?: boolean;
  /** Whether there is little space. Less important controls are then in the menu. @default false */
  isNarrow?: boolean;
}
