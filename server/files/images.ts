import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { imageExtensions, unsupported, type ImageType } from './fileTypes.ts';
import type { Inspected } from './Inspector.ts';

/** Of all pages of a moving picture together. The largest phones' photos have 50 million; 60,000 by 60,000 fit into a kilobyte of PNG. */
const mostPixels = 64_000_000;
const thumbnailPixels = 320;
const limits = { limitInputPixels: mostPixels, sequentialRead: true };
const seconds = 30;

// The library reads much more, some of it with a past: only what is asked for is left open.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['JpegFile', 'PngFile', 'NsgifFile', 'WebpFile', 'HeifFile'].map(
    (name) => `VipsForeignLoad${name}`,
  ),
});
sharp.cache(false);
sharp.concurrency(1);

/** Decoded and encoded again: what is no picture fails, and what hid behind, before or in it (places, names, scripts) is gone. */
export async function cleanImage(
  path: string,
  folder: string,
  { format, output }: ImageType,
): Promise<Inspected> {
  const [clean, small] = [join(folder, 'clean'), join(folder, 'thumbnail')];
  try {
    const { format: found, pages = 1 } = await sharp(path, limits).metadata();
    if (found !== format) throw new Error(`it is ${found}, not ${format}`);
    const moves = pages > 1 && (output === 'gif' || output === 'webp');
    const picture = sharp(path, { ...limits, animated: moves });
    // Turned as it is meant to be seen; the note that says so goes with the others.
    const { width, height, pageHeight } = await encode(moves ? picture : picture.autoOrient(), output)
      .timeout({ seconds })
      .toFile(clean);
    await makeThumbnail(clean, small);
    return {
      kind: 'image',
      mimeType: `image/${output}`,
      extensions: imageExtensions[output],
      path: clean,
      thumbnailPath: small,
      width,
      height: pageHeight ?? height,
      duration: null,
    };
  } catch (cause) {
    const error = unsupported(`this one can’t be read, or is larger than ${mostPixels / 1e6} megapixels`);
    throw Object.assign(error, { cause });
  }
}

/** @param path a picture that has been looked at */
export async function makeThumbnail(path: string, target: string): Promise<void> {
  await sharp(path, limits)
    .resize(thumbnailPixels, thumbnailPixels, { fit: 'inside', withoutEnlargement: true })
    .webp({ quality: 75 })
    .timeout({ seconds })
    .toFile(target);
}

function encode(picture: Sharp, output: ImageType['output']): Sharp {
  switch (output) {
    case 'jpeg':
      return picture.keepIccProfile().jpeg({ quality: 90 });
    case 'png':
      return picture.keepIccProfile().png();
    case 'gif':
      return picture.gif({ effort: 1 });
    case 'webp':
      return picture.keepIccProfile().webp({ quality: 90, effort: 2 });
  }
}
