import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findCommand } from '../../../platform/system/findTool.mjs';
import { ffprobeBeside } from '../../files/probeMedia.ts';
import type { Examined } from '../Examined.ts';
import type { Findings } from '../Finding.ts';

const oldest = 5;
const encoders = ['libx264', 'libopus'];
const limitMs = 10_000;

/** ffmpeg with what RTMP, HLS, recordings and voicemail need. */
export async function checkFfmpeg({ config }: Examined, found: Findings): Promise<void> {
  const { FFMPEG_BIN: bin } = config;
  if (!findCommand(bin))
    return found.error(
      'FFMPEG_BIN',
      `There is no ffmpeg at ${bin}, so RTMP, HLS, recordings and voicemail do not work. Run: apt-get install ffmpeg. Or set FFMPEG_BIN to its path`,
    );
  if (!findCommand(ffprobeBeside(bin)))
    found.error(
      'FFMPEG_BIN',
      `There is no ffprobe beside ${bin}, so recordings, voicemail, and uploads of video and audio do not work. Install it in the same folder, or set FFMPEG_BIN to an ffmpeg with one`,
    );
  const run = async (option: string) =>
    (await promisify(execFile)(bin, ['-hide_banner', option], { timeout: limitMs })).stdout;
  try {
    const [version, list] = [await run('-version'), await run('-encoders')];
    const [, number = ''] = /^ffmpeg version n?(\S+)/m.exec(version) ?? [];
    if (Number.parseInt(number, 10) < oldest)
      found.error(
        'FFMPEG_BIN',
        `ffmpeg ${number} is too old. Install version ${oldest} or later, or set FFMPEG_BIN to it`,
      );
    const missing = encoders.filter((name) => !new RegExp(`\\s${name}\\s`).test(list));
    if (missing.length > 0)
      found.error(
        'FFMPEG_BIN',
        `ffmpeg ${number} was built without ${missing.join(' and ')}, so RTMP and HLS do not work. Install the full ffmpeg of your system, or set FFMPEG_BIN to one`,
      );
    else found.ok(`ffmpeg ${number} has ${encoders.join(' and ')}.`);
  } catch (error) {
    found.error('FFMPEG_BIN', `${bin} does not run: ${(error as Error).message.split('\n')[0]}`);
  }
}
