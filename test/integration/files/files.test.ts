import { readFile, writeFile } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allCommandLines } from '../../harness/media/ffmpegs.ts';
import { killProcess } from '../../harness/nodes/killProcess.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { TestClient } from '../../harness/clients/TestClient.ts';
import { until } from '../../harness/until.ts';
import { api, newCustomer, newKey, roomySettings, type Customer } from '../money/accountSupport.ts';
import { bomb, download, picture, post, posted, recording, testCard, tone } from './mediaSupport.ts';
import { ask, bearer } from '../support.ts';

/* Formats that uploads accept, how they are processed, and what is rejected. */

let server: ServerProcess;
let alice: Customer;

beforeAll(async () => {
  server = await ServerProcess.start({ ...roomySettings });
});
afterAll(() => server?.dispose());

const upload = async (raw: Buffer, query = '') => {
  // A new wallet each time: unused files per wallet are limited.
  alice = await newCustomer(server.url);
  return posted(server.url, alice.app, raw, query);
};

describe('an image in one request', () => {
  it('is accepted from app and dashboard sessions, and described by its content', async () => {
    const bytes = await picture({ width: 400, height: 300 });
    const info = await upload(bytes, '?name=holiday.png');
    expect(info).toEqual({
      id: expect.stringMatching(/^med_[0-9A-Za-z]{24}$/) as string,
      url: expect.stringMatching(
        `^${server.url}/api/v1/media/${info.id}\\?expires=\\d+&signature=[\\w-]{43}$`,
      ) as string,
      mimeType: 'image/png',
      name: 'holiday.png',
      width: 400,
      height: 300,
      duration: null,
      size: expect.any(Number) as number,
    });
    const { status, headers, bytes: stored } = await download(info.url);
    expect([status, stored.length, headers.get('content-length')]).toEqual([
      200,
      info.size,
      String(info.size),
    ]);
    expect(await sharp(stored).raw().toBuffer()).toEqual(await sharp(bytes).raw().toBuffer());
    expect((await post(server.url, alice.dashboard, bytes)).status).toBe(201);
  });

  it.each(['jpeg', 'gif', 'webp', 'avif'] as const)(
    'may be %s, regardless of its name and declared type',
    async (format) => {
      const bytes = await picture({ width: 64, height: 48 }, format);
      alice = await newCustomer(server.url);
      const headers = { ...alice.app, 'Content-Type': 'text/html' };
      const info = await posted(server.url, headers, bytes, '?name=page.html');
      const [stored, ending] = {
        jpeg: ['jpeg', 'jpg'],
        gif: ['gif', 'gif'],
        webp: ['webp', 'webp'],
        avif: ['webp', 'webp'],
      }[format];
      expect(info).toMatchObject({
        mimeType: `image/${stored}`,
        name: `page.html.${ending}`,
        width: 64,
        height: 48,
      });
      const got = await download(info.url);
      expect(got.headers.get('content-type')).toBe(`image/${stored}`);
      expect((await sharp(got.bytes).metadata()).format).toBe(stored);
    },
  );

  it('loses its location and camera data, and is rotated upright', async () => {
    const camera = {
      IFD0: { Make: 'Camera of Alice' },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 3230/100' },
    };
    const photo = await sharp(await picture({ width: 60, height: 40 }))
      .jpeg()
      .withExif(camera)
      .withMetadata({ orientation: 6 })
      .toBuffer();
    expect(photo.includes('Camera of Alice')).toBe(true);
    const info = await upload(photo);
    expect(info).toMatchObject({ width: 40, height: 60 });
    const { bytes } = await download(info.url);
    expect(bytes.includes('Camera of Alice')).toBe(false);
    const { exif, orientation = 1 } = await sharp(bytes).metadata();
    expect([exif, orientation]).toEqual([undefined, 1]);
  });

  it('keeps its animation', async () => {
    const frames = await Promise.all([1, 2, 3].map(() => picture({ width: 20, height: 10 })));
    const animation = await sharp(frames, { join: { animated: true } })
      .gif({ delay: [100, 200, 300] })
      .toBuffer();
    const info = await upload(animation);
    expect(info).toMatchObject({ mimeType: 'image/gif', width: 20, height: 10 });
    const { pages, delay } = await sharp((await download(info.url)).bytes).metadata();
    expect([pages, delay]).toEqual([3, [100, 200, 300]]);
  });
});

describe('a video or audio file', () => {
  it('loses metadata and trailing bytes, and gets a thumbnail', async () => {
    const options = [
      '-c:v',
      'libx264',
      '-pix_fmt',
      'yuv420p',
      '-c:a',
      'aac',
      '-metadata',
      'comment=at +51.5, 0.1',
    ];
    const video = await recording('video.mp4', ...testCard(3), ...tone(3), ...options);
    const withTail = Buffer.concat([video, Buffer.from('<script>alert(1)</script>')]);
    expect(video.includes('+51.5')).toBe(true);
    const info = await upload(withTail, '?name=video.mov');
    expect(info).toMatchObject({
      mimeType: 'video/mp4',
      name: 'video.mov.mp4',
      width: 320,
      height: 180,
      duration: 3,
    });
    const { bytes } = await download(info.url);
    expect([bytes.includes('+51.5'), bytes.includes('<script>')]).toEqual([false, false]);
    const thumbnail = await download(`${info.url}&thumbnail`);
    expect([thumbnail.status, thumbnail.headers.get('content-type')]).toEqual([200, 'image/webp']);
    expect(await sharp(thumbnail.bytes).metadata()).toMatchObject({ width: 320, height: 180 });
  });

  it('is stored without its cover, also if the cover comes before the video', async () => {
    const cover = ['-map', '0:v', '-map', '1:v', '-c:v:0', 'mjpeg', '-disposition:v:0', 'attached_pic'];
    const video = ['-c:v:1', 'libx264', '-pix_fmt', 'yuv420p'];
    const bytes = await recording('video.mp4', ...testCard(0.1), ...testCard(2), ...cover, ...video);
    const info = await upload(withTagsFirst(bytes));
    expect(info).toMatchObject({ mimeType: 'video/mp4', width: 320, height: 180, duration: 2 });
    const clean = (await download(info.url)).bytes;
    expect([clean.includes('avc1'), clean.includes('mp4v')]).toEqual([true, false]);
  });

  it.each([
    ['audio.webm', 'audio/webm', ['-c:a', 'libopus']],
    ['audio.ogg', 'audio/ogg', ['-c:a', 'libopus']],
    ['audio.m4a', 'audio/mp4', ['-c:a', 'aac']],
    ['audio.mp3', 'audio/mpeg', []],
    ['audio.wav', 'audio/wav', []],
    ['audio.flac', 'audio/flac', []],
  ])('may be %s', async (name, mimeType, codec) => {
    const info = await upload(await recording(name, ...tone(2), ...codec));
    expect(info).toMatchObject({ mimeType, width: null, height: null });
    expect(info.duration).toBeCloseTo(2, 0);
    expect((await download(`${info.url}&thumbnail`)).status).toBe(404);
  });

  it('is rejected in a codec that browsers cannot play', async () => {
    const video = await recording('video.mp4', ...testCard(1), '-c:v', 'mpeg4');
    expect((await post(server.url, alice.app, video)).body).toMatchObject({
      error: 'unsupported_media_type',
    });
  });
});

describe('a very large image', () => {
  const huge = () =>
    sharp({ create: { width: 8_000, height: 8_000, channels: 3, background: '#456' } })
      .png({ progressive: true })
      .toBuffer();
  const peakMegabytes = async () => {
    const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(await readFile(`/proc/${server.pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes) / 1024;
  };
  /** Resets the peak memory of the server to its present memory. */
  const resetPeak = () => writeFile(`/proc/${server.pid}/clear_refs`, '5');

  it('is not decoded in the server’s memory', async () => {
    const bytes = await huge();
    await resetPeak();
    const before = await peakMegabytes();
    expect(await upload(bytes)).toMatchObject({ width: 8_000, height: 8_000 });
    // 64 megapixels are 190 MB.
    expect((await peakMegabytes()) - before).toBeLessThan(100);
  });

  it('is rejected when its decoder dies, and later uploads succeed', async () => {
    const bytes = await huge();
    alice = await newCustomer(server.url);
    const refused = post(server.url, alice.app, bytes);
    const decoder = await until(async () => {
      const all = await allCommandLines();
      return all.find(({ args }) => args.some((arg) => arg.includes(`${server.dataDir}/work/`)));
    }, 'its decoder runs');
    const limits = await readFile(`/proc/${decoder.pid}/limits`, 'utf8');
    expect(limits).toMatch(/Max data size\s+2147483648\s/);
    killProcess(decoder.pid);
    expect(await refused).toMatchObject({ status: 415, body: { error: 'unsupported_media_type' } });
    expect(await upload(await picture())).toMatchObject({ mimeType: 'image/png' });
  });
});

describe('rejects', () => {
  const png = () => picture({ width: 200, height: 200 });
  const cases: [string, () => Promise<Buffer> | Buffer][] = [
    ['a web page', () => Buffer.from('<!doctype html><script>alert(1)</script>')],
    [
      'an SVG',
      () => Buffer.from('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'),
    ],
    ['a PDF', () => Buffer.from('%PDF-1.7\n1 0 obj\n')],
    ['a zip', () => Buffer.from('504b0304140000000000', 'hex')],
    ['an executable', () => Buffer.from('7f454c460201010000000000000000000200', 'hex')],
    ['text', () => Buffer.from('hello')],
    ['a playlist that refers to other files', () => Buffer.from('#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n')],
    ['a page that starts like a GIF', () => Buffer.from('GIF89a=1;//<script>alert(1)</script>')],
    ['an image cut in half', async () => (await png()).subarray(0, 40_000)],
    ['an image cut after its header', async () => (await picture({}, 'jpeg')).subarray(0, 800)],
    [
      'a video cut in its header',
      async () => (await recording('video.mp4', ...testCard(1))).subarray(0, 200),
    ],
    ['an image of 60,000 by 60,000 pixels in a few bytes', () => bomb(60_000)],
  ];
  it.each(cases)('%s (415)', async (_name, make) => {
    alice = await newCustomer(server.url);
    const reply = await post(
      server.url,
      { ...alice.app, 'Content-Type': 'image/png' },
      await make(),
      '?name=a.png',
    );
    expect([reply.status, reply.body.error]).toEqual([415, 'unsupported_media_type']);
  });

  it('an empty body (422)', async () => {
    const reply = await post(server.url, alice.app, Buffer.alloc(0));
    expect([reply.status, reply.body.error]).toEqual([422, 'validation_failed']);
  });

  it('API keys and requests without credentials, because files belong to wallets', async () => {
    const { secret } = await newKey(server.url, alice);
    expect((await post(server.url, bearer(secret), await png())).body).toMatchObject({
      error: 'session_required',
    });
    expect((await post(server.url, {}, await png())).status).toBe(401);
  });

  it('an unknown query field (422)', async () => {
    expect((await post(server.url, alice.app, await png(), '?folder=x')).status).toBe(422);
  });
});

it('does not store bytes appended to an image', async () => {
  const page = Buffer.from('<html><script>alert(1)</script></html>');
  for (const format of ['png', 'jpeg'] as const) {
    const info = await upload(Buffer.concat([await picture({}, format), page]));
    expect((await download(info.url)).bytes.includes('<script>')).toBe(false);
  }
});

it('keeps only the last part of a name with a path', async () => {
  const info = await upload(await picture({}), `?name=${encodeURIComponent('../../../etc/cron.d/x.png')}`);
  expect(info.name).toBe('x.png');
  const { headers } = await download(info.url);
  expect(headers.get('content-disposition')).toBe(`inline; filename="x.png"; filename*=UTF-8''x.png`);
});

it('limits a wallet to twenty unused files, and frees one when a file is deleted', async () => {
  const small = await picture({ width: 8, height: 8 });
  const first = await upload(small);
  for (let count = 1; count < 20; count++) await posted(server.url, alice.app, small);
  expect((await post(server.url, alice.app, small)).body).toMatchObject({ error: 'conflict' });
  const deleted = await ask(server.url, 'DELETE', `/api/v1/media/uploads/${first.id}`, {
    headers: alice.app,
  });
  expect(deleted.status).toBe(204);
  expect((await download(first.url)).status).toBe(404);
  expect((await post(server.url, alice.app, small)).status).toBe(201);
});

it('describes the routes of files in the OpenAPI document', async () => {
  const { body } = await api(server.url, 'GET', '/openapi.json');
  expect(Object.keys(body.paths as object)).toEqual(
    expect.arrayContaining(['/media', '/media/{id}', '/media/uploads', '/media/uploads/{id}']),
  );
});

it('accepts images without ffmpeg, and rejects audio with the reason', async () => {
  const withoutFfmpeg = await ServerProcess.start({ FFMPEG_BIN: '/nowhere/ffmpeg' });
  const client = await TestClient.signIn(withoutFfmpeg.url);
  try {
    expect(await client.parley.media.upload(await picture())).toMatchObject({ mimeType: 'image/png' });
    const audio = client.parley.media.upload(await recording('audio.wav', ...tone(1)));
    await expect(audio).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringContaining('ffprobe is not installed') as string,
    });
  } finally {
    client.close();
    await withoutFfmpeg.dispose();
  }
});

/** Moves the tags of an MP4 file, which include its cover, before its tracks. */
function withTagsFirst(mp4: Buffer): Buffer {
  const boxesIn = (from: number, to: number) => {
    const boxes: { type: string; start: number; end: number }[] = [];
    for (let start = from; start < to;) {
      const end = start + mp4.readUInt32BE(start);
      boxes.push({ type: mp4.toString('latin1', start + 4, start + 8), start, end });
      start = end;
    }
    return boxes;
  };
  const moov = boxesIn(0, mp4.length).find(({ type }) => type === 'moov');
  if (!moov) throw new Error('the file has no moov');
  const order = ['mvhd', 'udta', 'trak'];
  const boxes = boxesIn(moov.start + 8, moov.end).sort(
    (one, other) => order.indexOf(one.type) - order.indexOf(other.type),
  );
  return Buffer.concat([
    mp4.subarray(0, moov.start + 8),
    ...boxes.map(({ start, end }) => mp4.subarray(start, end)),
    mp4.subarray(moov.end),
  ]);
}
