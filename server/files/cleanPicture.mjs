import process from 'node:process';

/*
 * Decodes a picture that a stranger made, in a process of its own with bounds that images.ts sets: a fault in a decoder costs this process.
 *   node cleanPicture.mjs clean <path> <clean> <thumbnail> <format> <output>   prints {width, height}
 *   node cleanPicture.mjs thumbnail <path> <thumbnail>
 */

/** Of all pages of a moving picture together, as images.ts says it. The largest phones' photos have 50 million; 60,000 by 60,000 fit into a kilobyte of PNG. */
const mostPixels = 64_000_000;
const thumbnailPixels = 320;
const limits = { limitInputPixels: mostPixels, sequentialRead: true };
/** As a shell says it. */
const notInstalled = 127;

const { default: sharp } = await import('sharp').catch((/** @type {unknown} */ error) => {
  console.error(error);
  return process.exit(notInstalled);
});

// The library reads much more, some of it with a past: only what is asked for is left open.
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
else await makeThumbnail(path, args[0] ?? '');

/** @param {string[]} words */
async function clean([target = '', thumbnail = '', format, output]) {
  const { format: found, pages = 1 } = await sharp(path, limits).metadata();
  if (found !== format) throw new Error(`it is ${found}, not ${format}`);
  const moves = pages > 1 && (output === 'gif' || output === 'webp');
  const picture = sharp(path, { ...limits, animated: moves });
  // Turned as it is meant to be seen; the note that says so goes with the others.
  const encoded = encode(moves ? picture : picture.autoOrient(), output);
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

/**
 * @param {import('sharp').Sharp} picture
 * @param {string | undefined} output
 */
function encode(picture, output) {
  switch (output) {
    case 'jpeg':
      return picture.keepIccProfile().jpeg({ quality: 90 });
    case 'png':
      return picture.keepIccProfile().png();
    case 'gif':
      return picture.gif({ effort: 1 });
    case 'webp':
      return picture.keepIccProfile().webp({ quality: 90, effort: 2 });
    default:
      throw new Error(`${output} is not written`);
  }
}
