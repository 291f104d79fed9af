import { readFileSync } from 'node:fs';

/**
 * Reads a JSON file without validating it.
 * @template T the type of the content
 * @param {string} path
 * @returns {T}
 */
export function readJson(path) {
  /** @type {unknown} */
  const value = JSON.parse(readFileSync(path, 'utf8'));
  return /** @type {T} */ (value);
}
