import process from 'node:process';

/**
 * A program that decodes an untrusted image in its own process, with limits set by images.ts. A fault in a decoder ends only this process.
 *   node cleanPicture.mjs clean <path> <clean> <thumbnail> <format> <output>   prints {width, height}
 *   node cleanPicture.mjs thumbnail <path> <thumbnail>
 *   node cleanPicture.mjs avatar <path> <avatar> <pixels>
 */

/**
 * The maximum number of pixels of all frames together. The error message in images.ts names it too. The largest phone photos have 50
 * million pixels. Without a limit, a PNG of one kilobyte could hold 60,000 by 60,000 pixels.
 */
const maxPixels = 64_000_000;
const thumbnailPixels = 320;
const limits = { limitInputPixels: maxPixels, sequentialRead: true };
/** The exit code with which a shell reports a missing program. */
const notInstalled = 127;

const { default: sharp } = await import('sharp').catch((/** @type {unknown} */ error) => {
  console.error(error);
  return process.exit(notInstalled);
});

// The library can read many more formats, some with known vulnerabilities. Only the needed ones stay enabled.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['JpegFile', 'PngFile', 'NsgifFile', 'WebpFile', 'HeifFile'].map(
    (name) => `VipsForeignLoad${name}`,
  ),
});
sharp.cache(false);
sharp.concurrency(1);

const [, , task, path = '', ...args] = process.argv;
if (task === 'clean') await clean(args);
else if (task === 'avatar') await makeAvatar(args);
else await makeThumbnail(path, args[0] ?? '');

/** @param {string[]} args */
async function clean([target = '', thumbnail = '', format, output]) {
  const { format: found, pages = 1 } = await sharp(path, limits).metadata();
  if (found !== format) throw new Error(`the image is ${found}, not ${format}`);
  const isAnimated = pages > 1 && (output === 'gif' || output === 'webp');
  const image = sharp(path, { ...limits, animated: isAnimated });
  // Rotated to the way it is displayed, because the orientation tag is removed with the other metadata.
  const encoded = encode(isAnimated ? image : image.autoOrient(), output);
  const { width, height, pageHeight } = await encoded.toFile(target);
  await makeThumbnail(target, thumbnail);
  console.log(JSON.stringify({ width, height: pageHeight ?? height }));
}

/**
 * @param {string} from
 * @param {string} target
 */
async function makeThumbnail(from, target) {
  await sharp(from, limits)
    .resize(thumbnailPixels, thumbnailPixels, { fit: 'inside', withoutEnlargement: true })
    .webp({ quality: 75 })
    .toFile(target);
}

/** @param {string[]} args */
async function makeAvatar([target = '', pixels]) {
  const side = Number(pixels);
  await sharp(path, limits).resize(side, side, { fit: 'cover' }).webp({ quality: 80 }).toFile(target);
}

/**
 * @param {import('sharp').Sharp} image
 * @param {string | undefined} output
 */
function encode(image, output) {
  switch (output) {
    case 'jpeg':
      return image.keepIccProfile().jpeg({ quality: 90 });
    case 'png':
      return image.keepIccProfile().png();
    case 'gif':
      return image.gif({ effort: 1 });
    case 'webp':
      return image.keepIccProfile().webp({ quality: 90, effort: 2 });
    default:
      throw new Error(`unknown output format ${output}`);
  }
}
