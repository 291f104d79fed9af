import { readdir, readFile } from 'node:fs/promises';
import { FfmpegSlots } from '../../../server/streaming/FfmpegSlots.ts';

/** Slots for one transcoding and for twenty ffmpeg processes. */
export const ffmpegSlots = () =>
  new FfmpegSlots({ FFMPEG_PROCESSES: 20, FFMPEG_PROCESSES_PER_WALLET: 20, STREAM_TRANSCODES: 1 });

/** The command lines of all processes on this machine, which any user can read. */
export async function allCommandLines(): Promise<{ pid: number; args: string[] }[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const all = await Promise.all(
    pids.map(async (pid) => ({
      pid,
      args: (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0'),
    })),
  );
  return all.filter(({ args }) => args.length > 1);
}

/** The ffmpeg processes that are direct children of this process. */
export async function ownFfmpegProcesses(): Promise<{ pid: number; args: string[] }[]> {
  const all = (await allCommandLines()).filter(({ args }) => args.some((arg) => /(^|\/)ffmpeg$/.test(arg)));
  const parents = await Promise.all(
    all.map(async ({ pid }) => {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    }),
  );
  return all.filter((_, index) => parents[index] === process.pid);
}
