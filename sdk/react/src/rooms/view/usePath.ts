import type { MediaPath } from '@parley/sdk';
import { useEffect, useState } from 'react';
import { useParley } from '../../core/ParleyProvider.tsx';
import { useRoomController } from '../useRoom.ts';

/**
 * How the user's media reaches the server; null until it is known.
 * @param changed read again when this changes; null reads nothing
 */
export function usePath(changed: object | null): MediaPath | null {
  const { media } = useParley();
  const { roomId } = useRoomController();
  const [path, setPath] = useState<MediaPath | null>(null);
  useEffect(() => {
    if (changed === null) return;
    let isCurrent = true;
    media.stats(roomId).then(
      (stats) => isCurrent && setPath(stats.path),
      // The media has just ended.
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [media, roomId, changed]);
  return path;
}
