import { readdir, readFile } from 'node:fs/promises';
import { FfmpegSlots } from '../../server/streaming/FfmpegSlots.ts';

/** One encoder, and ffmpegs enough. */
export const ffmpegSlots = () =>
  new FfmpegSlots({ FFMPEG_PROCESSES: 20, FFMPEG_PROCESSES_PER_WALLET: 20, STREAM_TRANSCODES: 1 });

/** The arguments of all processes of this machine that anybody may read. */
export async function argumentsOfAll(): Promise<{ pid: number; words: string[] }[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const all = await Promise.all(
    pids.map(async (pid) => ({
      pid,
      words: (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0'),
    })),
  );
  return all.filter(({ words }) => words.length > 1);
}

/** The ffmpegs this process has started, directly. */
export async function ownFfmpegs(): Promise<{ pid: number; words: string[] }[]> {
  const all = (await argumentsOfAll()).filter(({ words }) =>
    words.some((word) => /(^|\/)ffmpeg$/.test(word)),
  );
  const parents = await Promise.all(
    all.map(async ({ pid }) => {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    }),
  );
  return all.filter((_, index) => parents[index] === process.pid);
}
