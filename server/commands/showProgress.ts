/** In a terminal, lines replace each other. Elsewhere each stays, in the journal or in the mail of a cron job. */
const shownEveryMs = process.stderr.isTTY ? 1_000 : 60_000;

/** Shows lines of progress on standard error: the first one, then at most one per second, or without a terminal one per minute. */
export function showProgress(): (line: string) => void {
  let shownAt = -Infinity;
  return (line) => {
    const now = performance.now();
    if (now - shownAt < shownEveryMs) return;
    shownAt = now;
    process.stderr.write(process.stderr.isTTY ? `\r${line.padEnd(70)}\r` : `${line}\n`);
  };
}
