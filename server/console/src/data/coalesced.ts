/**
 * Runs one at a time. Whoever asks meanwhile gets one more run after this one, together: it has read what they have just changed,
 * and however often it is asked, every run comes to its end.
 */
export function coalesced(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  let isWantedAgain = false;
  const runAll = async () => {
    do {
      isWantedAgain = false;
      await run();
    } while (isWantedAgain);
    running = null;
  };
  return () => {
    isWantedAgain = running !== null;
    running ??= runAll();
    return running;
  };
}
