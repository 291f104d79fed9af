/** Not larger than 1080p, lying or standing, and in its own form. */
export const withinFullHd =
  "scale=w='min(iw,if(gt(iw,ih),1920,1080))':h='min(ih,if(gt(iw,ih),1080,1920))':force_original_aspect_ratio=decrease:force_divisible_by=2";

interface Size {
  width: number;
  height: number;
}

/** One size for all of it, though what comes grows and shrinks with its sender's line. */
export function canvas(size: Size): string {
  const { width, height } = canvasSize(size);
  const box = `${width}:${height}`;
  return `scale=${box}:force_original_aspect_ratio=decrease:force_divisible_by=2,pad=${box}:(ow-iw)/2:(oh-ih)/2`;
}

function canvasSize({ width, height }: Size): Size {
  const factor = Math.min(1, 1920 / Math.max(width, height), 1080 / Math.min(width, height));
  const even = (side: number) => Math.max(2, 2 * Math.round((side * factor) / 2));
  return { width: even(width), height: even(height) };
}

/**
 * H264 that every browser decodes: at most 30 frames a second, no B-frames.
 * @param form a filter that gives it its size
 * @param seconds between two key frames
 */
export function encodeArgs(form: string, seconds: number): string[] {
  return [
    ...['-c:v', 'libx264', '-preset', 'veryfast', '-tune', 'zerolatency', '-profile:v', 'baseline'],
    ...['-pix_fmt', 'yuv420p', '-fpsmax', '30', '-crf', '23', '-maxrate', '4500k', '-bufsize', '4500k'],
    ...['-vf', form, '-force_key_frames', `expr:gte(t,n_forced*${seconds})`],
  ];
}
