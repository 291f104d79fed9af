import { describe, expect, it } from 'vitest';
import { hasShape, pictureSize, shaped } from './pictureSize.ts';

function packetOf(...payload: number[]): Buffer {
  const header = Buffer.alloc(12);
  header[0] = 0x80;
  return Buffer.concat([header, Buffer.from(payload)]);
}

/** 360x640, with scaling bits. */
const vp8Key = [0x10, 0, 0, 0x9d, 0x01, 0x2a, 0x68, 0x41, 0x80, 0x82];
const vp8Between = [0x11, 0, 0, 0x9d, 0x01, 0x2a, 0x68, 0x41, 0x80, 0x82];
/** Two layers of 180x320 and 360x640. */
const vp9Structure = [0x38, 0, 180, 1, 64, 1, 104, 2, 128];
/** 1280x720, by x264. */
const sps = Buffer.from('6742c01fda014016ec0440000003004000000c83c60ca8', 'hex');

describe('the size of a picture in RTP', () => {
  it.each([
    ['VP8', 'video/vp8', packetOf(0x10, ...vp8Key), { width: 360, height: 640 }],
    [
      'VP8 with a picture number',
      'video/vp8',
      packetOf(0x90, 0x80, 0x81, 1, ...vp8Key),
      { width: 360, height: 640 },
    ],
    [
      'VP8 with temporal layers',
      'video/vp8',
      packetOf(0x90, 0xe0, 1, 2, 0x20, ...vp8Key),
      { width: 360, height: 640 },
    ],
    ['the second packet of VP8', 'video/vp8', packetOf(0x00, ...vp8Key), null],
    ['VP8 between key frames', 'video/vp8', packetOf(0x10, ...vp8Between), null],
    ['VP9', 'video/vp9', packetOf(0x8a, 0x81, 1, ...vp9Structure), { width: 360, height: 640 }],
    ['VP9 with layers', 'video/vp9', packetOf(0xaa, 1, 0, 7, ...vp9Structure), { width: 360, height: 640 }],
    ['VP9 without a structure', 'video/vp9', packetOf(0x88, 1, ...vp9Structure), null],
    ['H264', 'video/h264', packetOf(...sps), { width: 1280, height: 720 }],
    ['H264 in an aggregate', 'video/h264', packetOf(24, 0, sps.length, ...sps), { width: 1280, height: 720 }],
    ['a slice of H264', 'video/h264', packetOf(0x65, 0x88, 0x80), null],
    ['another codec', 'video/av1', packetOf(0x10, ...vp8Key), null],
  ])('of %s', (_name, mimeType, packet, expected) => {
    expect(pictureSize(mimeType, packet)).toEqual(expected);
  });

  it('is not read from packets that are cut off', () => {
    for (const [mimeType, packet] of [
      ['video/vp8', packetOf(0x90, 0xe0, 1, 2, 0x20, ...vp8Key)],
      ['video/vp9', packetOf(0xaa, 1, 0, 7, ...vp9Structure)],
    ] as const)
      for (let length = 0; length < packet.length; length++)
        expect(pictureSize(mimeType, packet.subarray(0, length))).toBeNull();
  });

  it('has the same shape when it is scaled, and another when it is turned', () => {
    expect(hasShape({ width: 426, height: 240 }, { width: 1280, height: 720 })).toBe(true);
    expect(hasShape({ width: 720, height: 1280 }, { width: 1280, height: 720 })).toBe(false);
    expect(shaped({ width: 1280, height: 720 }, { width: 360, height: 640 })).toEqual({
      width: 720,
      height: 1280,
    });
    expect(shaped({ width: 1280, height: 720 }, { width: 1920, height: 1080 })).toEqual({
      width: 1920,
      height: 1080,
    });
  });
});
