import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { imageExtensions, unsupported, type ImageType } from './fileTypes.ts';
import type { Inspected } from './Inspected.ts';
import { runTool, ToolFailed } from './runTool.ts';

const script = fileURLToPath(new URL('cleanPicture.mjs', import.meta.url));
const seconds = 60;
/**
 * The limits on address space and writable memory. Node reserves much more memory than it uses, so the second limit is lower. Decoding 64
 * megapixels of AVIF takes 1.9 GB.
 */
const bounds = { addressKb: 6 * 1024 * 1024, dataKb: 2 * 1024 * 1024 };
const sizes = z.object({ width: z.int(), height: z.int() });

/** Decodes an image and encodes it again. This refuses files that are not images, and removes hidden data like metadata or scripts. */
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
    throw Object.assign(unsupported('this image cannot be read or is larger than 64 megapixels'), { cause });
  }
}

/** @param path an inspected image */
export async function makeThumbnail(path: string, target: string): Promise<void> {
  await run(['thumbnail', path, target]);
}

/** The width and height of avatars. */
const avatarPixels = 256;

/** @param path an inspected image */
export async function makeAvatar(path: string, folder: string): Promise<{ path: string; pixels: number }> {
  const target = join(folder, 'avatar');
  await run(['avatar', path, target, String(avatarPixels)]);
  return { path: target, pixels: avatarPixels };
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
    'This server cannot process images, because its image library is not installed. Ask the operator to install sharp.',
  );
