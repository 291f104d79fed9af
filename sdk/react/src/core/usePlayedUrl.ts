import { useRef, useState } from 'react';

/**
 * The address of a file for its player. The server signs another one every few minutes, which would start a player again when the file is
 * read again. So a file that was started keeps its address until it has ended or cannot be loaded.
 * @param url the latest address
 * @param onExpired called once for an address that cannot be loaded, most likely because it has expired. Reads the file again
 * @returns properties of the player
 */
export function usePlayedUrl(url: string, onExpired: () => void) {
  const [kept, setKept] = useState<string | null>(null);
  const failed = useRef<string | null>(null);
  const src = kept ?? url;
  return {
    src,
    onPlay: () => setKept(src),
    onEnded: () => setKept(null),
    onError: () => {
      setKept(null);
      // A newer address is known, or the file cannot be shown.
      if (src !== url || failed.current === url) return;
      failed.current = url;
      onExpired();
    },
  };
}
