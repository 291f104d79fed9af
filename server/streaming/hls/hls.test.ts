import { describe, expect, it } from 'vitest';
import type { Packaged } from '../../../media/Packaging.ts';
import { hlsArgs } from './hlsArgs.ts';
import { readPlaylist } from './readPlaylist.ts';
import { SignedPrefix } from './SignedPrefix.ts';
import { writeMaster, writeMedia } from './writePlaylist.ts';
import { onlyKey } from '../../../platform/keys.ts';

const packaged: Packaged = {
  packageId: 'pkg',
  mediaSequence: 40,
  discontinuitySequence: 2,
  codecs: ['avc1.42c01f', 'mp4a.40.2'],
  size: { width: 1280, height: 720 },
  bandwidth: 3_000_000,
  longestSeconds: 1,
  segments: [
    { name: '0-7.ts', seconds: 1.01, at: 1_700_000_000_000, isNew: false },
    { name: '0-8.ts', seconds: 1.4, at: 1_700_000_001_010, isNew: false },
    { name: '1-0.ts', seconds: 1, at: 1_700_000_009_000, isNew: true },
  ],
};

describe('playlists', () => {
  it('name the codecs, size and bandwidth', () => {
    expect(writeMaster(packaged, 'live.m3u8?session=x').split('\n').slice(3, 5)).toEqual([
      '#EXT-X-STREAM-INF:BANDWIDTH=3000000,RESOLUTION=1280x720,CODECS="avc1.42c01f,mp4a.40.2"',
      'live.m3u8?session=x',
    ]);
  });

  it('hold the time of each segment and the discontinuities', () => {
    const text = writeMedia(packaged, (name) => `a/${name}`);
    expect(text).toBe(`#EXTM3U
#EXT-X-VERSION:3
#EXT-X-TARGETDURATION:1
#EXT-X-SERVER-CONTROL:HOLD-BACK=3.0
#EXT-X-MEDIA-SEQUENCE:40
#EXT-X-DISCONTINUITY-SEQUENCE:2
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-PROGRAM-DATE-TIME:2023-11-14T22:13:20.000Z
#EXTINF:1.010,
a/0-7.ts
#EXT-X-PROGRAM-DATE-TIME:2023-11-14T22:13:21.010Z
#EXTINF:1.400,
a/0-8.ts
#EXT-X-DISCONTINUITY
#EXT-X-PROGRAM-DATE-TIME:2023-11-14T22:13:29.000Z
#EXTINF:1.000,
a/1-0.ts
`);
    expect(readPlaylist(text)).toEqual({
      first: 40,
      segments: packaged.segments.map(({ name, seconds }) => ({ name: `a/${name}`, seconds })),
    });
  });
});

it('makes no black picture of a size that its publisher has only claimed', () => {
  const form = { run: 0, encode: null, isSilent: true };
  const black = { width: 16_384, height: 9_216 };
  expect(hlsArgs({ ...form, black })).toContain('color=black:size=1920x1080:rate=5');
});

describe('a signature', () => {
  it('is valid for one prefix and a limited time, and equal for all viewers', () => {
    const signatures = new SignedPrefix(onlyKey(Buffer.alloc(32, 1)));
    const { expires, signature } = Object.fromEntries(new URLSearchParams(signatures.sign('a/b/')));
    expect(signatures.sign('a/b/')).toBe(`expires=${expires}&signature=${signature}`);
    expect(signatures.isValid('a/b/', expires, signature)).toBe(true);
    expect(signatures.isValid('a/c/', expires, signature)).toBe(false);
    expect(signatures.isValid('a/b/', String(Number(expires) + 1), signature)).toBe(false);
    expect(signatures.isValid('a/b/', expires, undefined)).toBe(false);
    expect(new SignedPrefix(onlyKey(Buffer.alloc(32, 2))).isValid('a/b/', expires, signature)).toBe(false);
  });
});
