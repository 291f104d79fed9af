import { readFileSync } from 'node:fs';

/**
 * @template T what the file is known to hold
 * @param {string} path
 * @returns {T}
 */
export function readJson(path) {
  /** @type {unknown} */
  const value = JSON.parse(readFileSync(path, 'utf8'));
  return /** @type {T} */ (value);
}
