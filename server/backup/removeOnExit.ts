import { rmSync } from 'node:fs';

/**
 * Removes a file or folder with data of people if this program ends early, for example by Ctrl-C. After a kill it stays.
 * @returns a function that ends this
 */
export function removeOnExit(path: string): () => void {
  // Retried, because a PostgreSQL in the folder ends a moment later than this program, and may still create files.
  const remove = () => rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  process.once('exit', remove);
  return () => void process.off('exit', remove);
}
