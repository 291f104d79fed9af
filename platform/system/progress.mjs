import process from 'node:process';
import { clearInterval, setInterval } from 'node:timers';

const sparseMs = 30_000;

/** @typedef {{ isTTY?: boolean, columns?: number, write: (text: string) => unknown }} Stream */

/**
 * Reports the progress of set-up on standard error: one line that updates itself on a terminal, otherwise (CI logs) a line every 30 s.
 * @param {Stream} stream
 */
export function createProgress(stream = process.stderr) {
  const live = stream.isTTY === true;
  const clear = () => {
    if (live) stream.write('\r\x1b[2K');
  };
  /** @param {string} text */
  const note = (text) => {
    clear();
    stream.write(`${text}\n`);
  };

  /**
   * Shows a long step with its duration so far, until it ends.
   * @template T
   * @param {string} label for example "Installing packages"
   * @param {(update: (detail: string) => void) => Promise<T>} work may call update with its progress any number of times
   * @returns {Promise<T>} the result of the work
   */
  const step = async (label, work) => {
    const startedAt = Date.now();
    let detail = '';
    const line = () => `${label} (${seconds(startedAt)})${detail && `: ${detail}`}`;
    const draw = () => {
      clear();
      stream.write(live ? line().slice(0, (stream.columns || 80) - 1) : `${line()}\n`);
    };
    if (!live) note(`${label} …`);
    const timer = setInterval(draw, live ? 1000 : sparseMs);
    try {
      const result = await work((text) => {
        detail = text;
        if (live) draw();
      });
      note(`${label}: done in ${seconds(startedAt)}`);
      return result;
    } catch (error) {
      note(`${label}: failed after ${seconds(startedAt)}`);
      throw error;
    } finally {
      clearInterval(timer);
    }
  };
  return { note, step };
}

/** @typedef {ReturnType<typeof createProgress>} Progress */

/** @param {number} since */
function seconds(since) {
  return `${Math.round((Date.now() - since) / 1000)} s`;
}
