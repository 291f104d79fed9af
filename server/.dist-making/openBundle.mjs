import { existsSync, readFileSync } from 'node:fs';
import { createRequire, SourceMap } from 'node:module';
import { basename, dirname } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';

/*
 * Runs the programs that buildServer.mjs has bundled. It copies this file to the bundle, where there is also V8's cache of the compiled code: it
 * saves a third of the CPU time of a start. Node 20 itself keeps no such cache.
 */

/**
 * @param {URL} url the bundle
 * @returns {{ programs: Record<string, () => Promise<unknown>>, hasCache: boolean, makeCache: () => Buffer }} what starts each program, by its
 *   name; whether V8 took the cache; and what makes the cache, best after a program has run, because it contains the functions that were called
 */
export function openBundle(url) {
  // V8 takes a cache only if its flags are those with which the cache was made. `npm start` sets this one, and the commands do not.
  setFlagsFromString('--max-semi-space-size=32');
  const path = fileURLToPath(url);
  const cachedData = existsSync(`${path}.cache`) ? readFileSync(`${path}.cache`) : undefined;
  // Without its folder, because the cache contains the name, and is made in another one.
  const script = new Script(readFileSync(path, 'utf8'), { filename: basename(path), cachedData });
  if (process.sourceMapsEnabled) mapFrames(path);
  const module = { exports: {} };
  const runScript = /** @type {(...scope: unknown[]) => void} */ (script.runInThisContext());
  runScript(module.exports, createRequire(url), module, path, dirname(path));
  return {
    programs: module.exports,
    hasCache: script.cachedDataRejected === false,
    makeCache: () => script.createCachedData(),
  };
}

/**
 * Lets the stacks of errors name the places of the sources, which Node does only for modules.
 * @param {string} path the bundle
 */
function mapFrames(path) {
  /** @type {SourceMap | null | undefined} */
  let map;
  /** @param {NodeJS.CallSite & { toString: () => string }} frame */
  const describe = (frame) => {
    const [text, line, column] = [String(frame), frame.getLineNumber() ?? 1, frame.getColumnNumber() ?? 1];
    if (frame.getFileName() !== basename(path)) return text;
    if (map === undefined) map = readMap(`${path}.map`);
    const found = map?.findEntry(line - 1, column - 1);
    if (!found || !('originalSource' in found)) return text;
    const source = fileURLToPath(new URL(found.originalSource, pathToFileURL(path)));
    return text.replace(
      `${basename(path)}:${line}:${column}`,
      `${source}:${found.originalLine + 1}:${found.originalColumn + 1}`,
    );
  };
  Error.prepareStackTrace = (error, frames) =>
    [Error.prototype.toString.call(error), ...frames.map(describe)].join('\n    at ');
}

/** @param {string} path */
function readMap(path) {
  try {
    const payload = /** @type {import('node:module').SourceMapPayload} */ (
      JSON.parse(readFileSync(path, 'utf8'))
    );
    return new SourceMap(payload);
  } catch {
    // A new build has replaced it while this program runs.
    return null;
  }
}
