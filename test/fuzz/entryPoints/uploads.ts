import { newCustomer } from '../../integration/money/accountSupport.ts';
import { picture, post, posted, recording, testCard, tone } from '../../integration/files/mediaSupport.ts';
import { ask, type Reply } from '../../integration/support.ts';
import type { OpenEntryPoint } from '../EntryPoint.ts';
import { hostileText, mutateBytes, mutateText, type Random } from '../mutate.ts';
import { judge } from './http.ts';

/** The number of inputs after which another wallet is used, because the number of unused uploads per wallet is limited. */
const inputsPerWallet = 25;
const uploads = '/api/v1/media/uploads';

/** Uploads images, videos and audio files with mutated bytes, at once or in resumable uploads (tus) with mutated requests. */
export const uploadEntry: OpenEntryPoint = async ({ server: { url } }) => {
  const formats = ['png', 'jpeg', 'webp', 'gif', 'avif'] as const;
  const images = await Promise.all(formats.map((format) => picture({ width: 40, height: 30 }, format)));
  const recordings = [await recording('film.mp4', ...testCard(1)), await recording('sound.mp3', ...tone(1))];
  let customer = newCustomer(url);
  let count = 0;

  const wallet = async (): Promise<Record<string, string>> => {
    if (++count % inputsPerWallet === 0) customer = newCustomer(url);
    return (await customer).app;
  };

  async function whole(random: Random): Promise<Reply> {
    // Recordings are rare, because each starts ffprobe, which is slow.
    const good = random.pick(random.chance(0.03) ? recordings : images);
    const bytes = random.chance(0.05) ? good : mutateBytes(random, good);
    const query = random.chance(0.1) ? `?name=${encodeURIComponent(plain(hostileText(random)))}` : '';
    return post(url, await wallet(), bytes, query);
  }

  /** Creates an upload, sends it in two parts, and reads or deletes it, with valid or mutated requests. */
  async function inPieces(random: Random): Promise<Reply> {
    const headers = { ...(await wallet()), 'Tus-Resumable': '1.0.0' };
    const bytes = random.pick(images);
    const maybeMutated = (value: string) => (random.chance(0.2) ? header(mutateText(random, value)) : value);
    const created = await ask(url, 'POST', uploads, {
      headers: {
        ...headers,
        'Upload-Length': maybeMutated(String(bytes.length)),
        'Upload-Metadata': maybeMutated(`filename ${Buffer.from('a.png').toString('base64')}`),
      },
    });
    if (created.status !== 201) return created;
    const path = random.chance(0.9)
      ? `${uploads}/${String(created.body.id)}`
      : `${uploads}/${encodeURIComponent(plain(hostileText(random)))}`;
    const cut = random.int(bytes.length + 1);
    for (const [offset, piece] of [
      [0, bytes.subarray(0, cut)],
      [cut, bytes.subarray(cut)],
    ] as const) {
      const reply = await ask(url, 'PATCH', path, {
        raw: random.chance(0.3) ? mutateBytes(random, piece) : piece,
        headers: {
          ...headers,
          'Content-Type': maybeMutated('application/offset+octet-stream'),
          'Upload-Offset': maybeMutated(String(offset)),
        },
      });
      if (reply.status !== 204) return reply;
    }
    return ask(url, random.pick(['GET', 'HEAD', 'DELETE']), path, { headers });
  }

  return {
    async send(random) {
      const reply = await (random.chance(0.5) ? whole(random) : inPieces(random));
      return judge(reply, 'an upload');
    },
    async check() {
      await posted(url, (await newCustomer(url)).app, images[0] as Buffer);
    },
    close: () => Promise.resolve(),
  };
};

/** Shortens a text and makes it well-formed, so that it can be encoded in a URL. */
const plain = (text: string) => Buffer.from(text.slice(0, 2_000)).toString();
const header = (text: string) => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '').slice(0, 4_000);
