import type { Device } from 'mediasoup-client';
import { expect, it } from 'vitest';
import type { Scope, Source } from '../../protocol/media.ts';
import { encodingOf } from './encodings.ts';

/** The widths of the layers of a video that is 1280 pixels wide. */
function widths(handlerName: string, scope: Scope, source: Source, codec: 'vp8' | 'h264' = 'vp8'): number[] {
  const codecs = ['video/VP8', 'video/H264'].map((mimeType) => ({ mimeType }));
  const device = { handlerName, sendRtpCapabilities: { codecs } } as unknown as Device;
  const track = { getSettings: () => ({ width: 1280, height: 720 }) } as MediaStreamTrack;
  const { encodings = [] } = encodingOf({ scope, source, codec, track }, device);
  return encodings.map(({ scaleResolutionDownBy = 1 }) => 1280 / scaleResolutionDownBy);
}

it('sends video in layers', () => {
  expect(widths('Chrome111', 'conference', 'camera')).toEqual([320, 640, 1280]);
  expect(widths('Chrome111', 'call', 'camera')).toEqual([320, 640, 1280]);
  expect(widths('Chrome111', 'conference', 'screen')).toEqual([640, 1280]);
});

it('sends one layer of VP8 from Firefox, whose frames mediasoup cannot renumber', () => {
  expect(widths('Firefox120', 'conference', 'camera')).toEqual([640]);
  expect(widths('Firefox120', 'stream', 'camera')).toEqual([1280]);
  expect(widths('Firefox120', 'call', 'camera')).toEqual([1280]);
  expect(widths('Firefox120', 'conference', 'screen')).toEqual([1280]);
  // H264 frames have no numbers.
  expect(widths('Firefox120', 'conference', 'camera', 'h264')).toEqual([320, 640, 1280]);
});
