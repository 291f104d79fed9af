/**
 * Runs one at a time. Calls during a run share one further run after it, which sees their changes. Every run finishes, however
 * often it is called.
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
