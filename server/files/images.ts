import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { imageExtensions, unsupported, type ImageType } from './fileTypes.ts';
import type { Inspected } from './Inspected.ts';
import { runTool, ToolFailed } from './runTool.ts';

const script = fileURLToPath(new URL('cleanPicture.mjs', import.meta.url));
const seconds = 60;
/** Node reserves much more than it uses, so it is what it may write to that is bounded: 64 megapixels of AVIF take 1.9 GB. */
const bounds = { addressKb: 6 * 1024 * 1024, dataKb: 2 * 1024 * 1024 };
const sizes = z.object({ width: z.int(), height: z.int() });

/** Decoded and encoded again: what is no picture fails, and what hid behind, before or in it (places, names, scripts) is gone. */
export async function cleanImage(
  path: string,
  folder: string,
  { format, output }: ImageType,
): Promise<Inspected> {
  const [clean, small] = [join(folder, 'clean'), join(folder, 'thumbnail')];
  try {
    const printed = await run(['clean', path, clean, small, format, output]);
    return {
      kind: 'image',
      mimeType: `image/${output}`,
      extensions: imageExtensions[output],
      path: clean,
      thumbnailPath: small,
      ...sizes.parse(JSON.parse(printed)),
      duration: null,
    };
  } catch (cause) {
    if (!(cause instanceof ToolFailed)) throw cause;
    throw Object.assign(unsupported('this one can’t be read, or is larger than 64 megapixels'), { cause });
  }
}

/** @param path a picture that has been looked at */
export async function makeThumbnail(path: string, target: string): Promise<void> {
  await run(['thumbnail', path, target]);
}

function run(args: string[]): Promise<string> {
  return runTool(process.execPath, ['--max-old-space-size=64', script, ...args], seconds, {
    ...bounds,
    missing,
  });
}

const missing = () =>
  new ParleyError(
    'SERVICE_UNAVAILABLE',
    'This server takes no pictures: its image library is not installed.',
  );
