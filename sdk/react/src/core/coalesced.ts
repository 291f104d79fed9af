/**
 * Prevents concurrent runs. All calls during a run share one further run after it, which sees the changes that caused those calls.
 * No run is ever cut short.
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
