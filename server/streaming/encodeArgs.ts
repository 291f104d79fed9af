/** A filter that keeps the aspect ratio and limits the size to 1080p, in landscape or portrait. */
export const withinFullHd =
  "scale=w='min(iw,if(gt(iw,ih),1920,1080))':h='min(ih,if(gt(iw,ih),1080,1920))':force_original_aspect_ratio=decrease:force_divisible_by=2";

interface Size {
  width: number;
  height: number;
}

/** A filter that scales all frames to one size, because the size of the input changes with its sender's bandwidth. */
export function canvas(size: Size): string {
  const { width, height } = canvasSize(size);
  const box = `${width}:${height}`;
  return `scale=${box}:force_original_aspect_ratio=decrease:force_divisible_by=2,pad=${box}:(ow-iw)/2:(oh-ih)/2`;
}

/** The size of the frames of canvas(): an even one, within 1080p. */
export function canvasSize({ width, height }: Size): Size {
  const factor = Math.min(1, 1920 / Math.max(width, height), 1080 / Math.min(width, height));
  const even = (side: number) => Math.max(2, 2 * Math.round((side * factor) / 2));
  return { width: even(width), height: even(height) };
}

/**
 * Arguments that encode video to H264 that every browser can decode: at most 30 frames a second, no B-frames.
 * @param sizeFilter the filter that sets the size
 * @param seconds the interval of key frames
 */
export function encodeArgs(sizeFilter: string, seconds: number): string[] {
  return [
    ...['-c:v', 'libx264', '-preset', 'veryfast', '-tune', 'zerolatency', '-profile:v', 'baseline'],
    ...['-pix_fmt', 'yuv420p', '-fpsmax', '30', '-crf', '23', '-maxrate', '4500k', '-bufsize', '4500k'],
    ...['-vf', sizeFilter, '-force_key_frames', `expr:gte(t,n_forced*${seconds})`],
  ];
}
