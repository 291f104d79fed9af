import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { workerBinary } from '../../../media/worker/workerBinary.mjs';
import { measureResources } from '../../installation/ResourceWatch.ts';
import type { Examined } from '../Examined.ts';
import type { Findings } from '../Finding.ts';

/** Bytes that the media workers ask for: all peers of a worker share one socket. */
const wantedBuffer = 4 * 1024 * 1024;
const wantedBacklog = 4_096;
const wantedDescriptors = 4_096;
const littleMemoryMegabytes = 512;

/** Kernel buffers, file descriptors and memory. */
export function checkLimits({ machine }: Examined, found: Findings): void {
  for (const [name, value] of [
    ['net.core.rmem_max', machine.rmemMax],
    ['net.core.wmem_max', machine.wmemMax],
  ] as const) {
    if (value === null) continue;
    if (value < wantedBuffer)
      found.warning(
        name,
        `The kernel allows socket buffers of ${value} bytes only, so packets of many users are lost in bursts. Run: sysctl -w ${name}=${wantedBuffer}`,
      );
    else found.ok(`${name} is ${value}.`);
  }
  const { somaxconn, descriptors, freeMemoryMegabytes } = machine;
  if (somaxconn !== null && somaxconn < wantedBacklog)
    found.warning(
      'net.core.somaxconn',
      `Only ${somaxconn} connections may wait to be accepted, so users who reconnect together wait for seconds. Run: sysctl -w net.core.somaxconn=${wantedBacklog}`,
    );
  if (descriptors !== null && descriptors < wantedDescriptors)
    found.warning(
      'ulimit -n',
      `The server may open only ${descriptors} files and connections. Raise the limit (ulimit -n, LimitNOFILE= in systemd) to ${wantedDescriptors} or more`,
    );
  else found.ok(`File descriptors: ${descriptors ?? 'no limit known'}.`);
  if (freeMemoryMegabytes < littleMemoryMegabytes)
    found.warning(
      'memory',
      `Only ${freeMemoryMegabytes} MB of memory are free. End other programs, or use a larger machine`,
    );
  else found.ok(`${freeMemoryMegabytes} MB of memory are free.`);
}

/** DATA_DIR: its permissions and free space. */
export async function checkDataDir({ config }: Examined, found: Findings): Promise<void> {
  const { DATA_DIR: folder, RECORDING_FREE_MEGABYTES } = config;
  try {
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      return found.ok(`${folder} does not exist yet; the first start creates it.`);
    return found.error(
      'DATA_DIR',
      `This user cannot write to ${folder}. Run the doctor as the server's user, or change the folder's owner`,
    );
  }
  const { freeMegabytes } = await measureResources(folder);
  const free = Math.floor(freeMegabytes);
  if (free < 64)
    found.error(
      'disk',
      `Only ${free} MB are free at DATA_DIR, and the server refuses to be ready. Free disk space`,
    );
  else if (free < RECORDING_FREE_MEGABYTES)
    found.warning(
      'disk',
      `Only ${free} MB are free at DATA_DIR, fewer than RECORDING_FREE_MEGABYTES, so nothing is recorded. Free disk space`,
    );
  else found.ok(`${free} MB are free at DATA_DIR.`);
  const key = await stat(`${folder}/secret.key`).catch(() => null);
  if (key && (key.mode & 0o077) !== 0)
    found.error('DATA_DIR', `Other users may read ${folder}/secret.key. Run: chmod 600 ${folder}/secret.key`);
}

/** The program of the media workers. */
export async function checkWorker({ config }: Examined, found: Findings): Promise<void> {
  if (!config.ROLES.includes('media')) return;
  const path = workerBinary();
  await access(path, constants.X_OK).then(
    () => found.ok('The media worker is installed.'),
    () => found.error('MEDIASOUP_WORKER_BIN', `There is no media worker at ${path}. npm start provides one`),
  );
}
