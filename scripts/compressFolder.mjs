import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/* Compresses the files for browsers once, at build time, so that the server can send the compressed files as they are. */

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);
/** The minimum size of a file to compress. */
const minBytes = 1_024;

/**
 * Writes `x.js.br` and `x.js.gz` beside each `x.js`. Source maps are not compressed, because only developer tools load them.
 * @param {string} folder
 */
export async function compressFolder(folder) {
  const names = await readdir(folder, { recursive: true });
  await Promise.all(
    names
      .filter((name) => /\.(js|css|html|svg|json|wasm)$/.test(name))
      .map((name) => compress(join(folder, name))),
  );
}

/** @param {string} path */
async function compress(path) {
  const bytes = await readFile(path);
  if (bytes.length < minBytes) return;
  const params = { [constants.BROTLI_PARAM_QUALITY]: 10, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  await Promise.all([
    // Brotli takes half a minute for the megabytes of a WebAssembly file.
    !path.endsWith('.wasm') && brotli(bytes, { params }).then((packed) => writeFile(`${path}.br`, packed)),
    gzipped(bytes, { level: 9 }).then((packed) => writeFile(`${path}.gz`, packed)),
  ]);
}
