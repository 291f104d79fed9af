import { useCurrentRoom } from '@parley/react';
import type { ReactNode } from 'react';

/** Makes the pages inert while a room covers the window. */
export function RoomLayer({ children }: { children: ReactNode }) {
  return <div inert={useCurrentRoom()?.phase === 'in'}>{children}</div>;
}
