import { join } from 'node:path';
import { findCommand } from '../../platform/system/findTool.mjs';
import { run } from '../../platform/system/run.mjs';
import { libsrtpSource } from './source/libsrtpSource.mjs';

/** A program of apt that downloads as apt does: over its proxies, with a checksum. */
const aptHelper = '/usr/lib/apt/apt-helper';

/**
 * Downloads libsrtp's source from the mirror of Debian's packages. Debian builds libsrtp with the cryptography of NSS, which needs two to
 * five times as much CPU time per packet as that of OpenSSL. So the worker gets a libsrtp of its own, as mediasoup's prebuilt one has.
 * @param {string} folder an empty folder for the download
 * @param {{ mirror?: string, source?: typeof libsrtpSource }} [options] another address, with a slash at its end, and source, for tests
 * @returns {Promise<string>} the folder of the source
 * @throws {Error} if the system has no apt, or its mirror does not have this source
 */
export async function downloadLibsrtp(folder, { mirror, source = libsrtpSource } = {}) {
  if (!findCommand(aptHelper)) throw new Error(`there is no ${aptHelper}`);
  const archive = join(folder, source.file);
  const uri = `${mirror ?? (await folderOfPackage('libsrtp2-dev'))}${source.file}`;
  await run(aptHelper, ['download-file', uri, archive, `SHA256:${source.sha256}`], { timeoutMs: 60_000 });
  await run('tar', ['-xzf', archive, '-C', folder], { timeoutMs: 60_000 });
  return join(folder, source.folder);
}

/**
 * @param {string} name
 * @returns {Promise<string>} the address of the folder with the package, which also contains its source
 */
async function folderOfPackage(name) {
  const [line = ''] = await run('apt-get', ['download', '--print-uris', name], { timeoutMs: 30_000 });
  const address = /^'(.*\/)[^/]*' /.exec(line)?.[1];
  if (!address) throw new Error(`apt-get does not know ${name}`);
  return address;
}
