const shownEveryMs = 1_000;

/** Shows lines of progress on standard error, at most one per second. In a terminal they replace each other. */
export function showProgress(): (line: string) => void {
  let shownAt = -Infinity;
  return (line) => {
    const now = performance.now();
    if (now - shownAt < shownEveryMs) return;
    shownAt = now;
    process.stderr.write(process.stderr.isTTY ? `\r${line.padEnd(70)}\r` : `${line}\n`);
  };
}
