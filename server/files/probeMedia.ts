import { dirname, join } from 'node:path';
import { z } from 'zod';
import { runTool } from './runTool.ts';

const stream = z.object({
  codec_type: z.string(),
  codec_name: z.string().optional(),
  profile: z.string().optional(),
  width: z.int().optional(),
  height: z.int().optional(),
  disposition: z.object({ attached_pic: z.number().optional() }).optional(),
  side_data_list: z.array(z.object({ rotation: z.number().optional() })).optional(),
});
const probed = z.object({
  streams: z.array(stream),
  format: z.object({ duration: z.coerce.number().optional() }),
});
export type MediaStream = z.infer<typeof stream>;

export interface MediaContent {
  video: MediaStream | undefined;
  audio: MediaStream | undefined;
  /** Seconds. */
  duration: number | null;
}

const seconds = 30;

/** The path of ffprobe, in the same folder as ffmpeg. */
export const ffprobeBeside = (ffmpeg: string): string =>
  ffmpeg.includes('/') ? join(dirname(ffmpeg), 'ffprobe') : 'ffprobe';

/** The arguments that make ffmpeg open only the input file and read it as this format. */
export const inputArgs = (demuxer: string): string[] => ['-protocol_whitelist', 'file', '-f', demuxer];

/**
 * Reads the streams and the duration of a file.
 * @returns null if the output of ffprobe is not understood
 * @throws ToolFailed
 */
export async function probeMedia(
  ffprobe: string,
  path: string,
  demuxer: string,
): Promise<MediaContent | null> {
  const args = ['-v', 'error', ...inputArgs(demuxer), '-show_streams', '-show_format', '-of', 'json', path];
  const parsed = probed.safeParse(JSON.parse(await runTool(ffprobe, args, seconds)));
  if (!parsed.success) return null;
  const { streams, format } = parsed.data;
  const isCover = ({ disposition }: MediaStream) => disposition?.attached_pic === 1;
  return {
    video: streams.find((each) => each.codec_type === 'video' && !isCover(each)),
    audio: streams.find(({ codec_type: type }) => type === 'audio'),
    duration: format.duration ?? null,
  };
}
