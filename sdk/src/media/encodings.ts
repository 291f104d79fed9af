import type { Device } from 'mediasoup-client';
import type { ProducerOptions } from 'mediasoup-client/types';
import type { Scope, Source } from '../../protocol/media.ts';
import { conferenceQuality, type Quality } from './qualities.ts';
import type { VideoCodec } from '../types.ts';

type Encoding = Pick<ProducerOptions, 'encodings' | 'codecOptions' | 'codec'>;

type Sized = Pick<MediaStreamTrack, 'getSettings'>;

interface SentTrack {
  scope: Scope;
  source: Source;
  track: Sized;
  codec: VideoCodec;
  /** The quality of a stream's camera. */
  quality?: Quality | undefined;
}

/** The simulcast layers of a camera, full size last. A receiver with little bandwidth gets a small layer, without affecting the others. */
const layers = [
  { scaleResolutionDownBy: 4, maxBitrate: 150_000 },
  { scaleResolutionDownBy: 2, maxBitrate: 500_000 },
  { scaleResolutionDownBy: 1, maxBitrate: 2_500_000 },
];

/** The layers of a screen. Text must stay sharp, so detail is preferred to a high frame rate. */
const screenLayers = [
  { scaleResolutionDownBy: 2, maxBitrate: 400_000, maxFramerate: 8 },
  { scaleResolutionDownBy: 1, maxBitrate: 2_500_000, maxFramerate: 15 },
];

/** The encoding of a source: Opus with FEC (and DTX for speech), video in simulcast layers. */
export function encodingOf(sent: SentTrack, device: Device): Encoding {
  switch (sent.source) {
    case 'microphone':
      return { codecOptions: { opusFec: true, opusDtx: true } };
    case 'screen-audio':
      return { codecOptions: { opusFec: true, opusStereo: true } };
    case 'screen':
      return {
        encodings: sendsOneLayer(device) ? screenLayers.slice(-1) : screenLayers,
        ...codecOf('vp8', device),
        codecOptions: { videoGoogleStartBitrate: 1_000 },
      };
    case 'camera':
      return {
        ...camera(sent, device),
        codecOptions: { videoGoogleStartBitrate: sent.quality ? 1_500 : 800 },
      };
  }
}

function camera({ scope, track, codec, quality }: SentTrack, device: Device): Encoding {
  const requested = codecOf(codec, device);
  // VP9 has its layers in one stream (SVC).
  const vp9 = [{ scalabilityMode: 'L3T3_KEY', maxBitrate: quality?.maxBitrate ?? 2_500_000 }];
  if (codec === 'vp9' && requested.codec) return { encodings: vp9, ...requested };
  const isVp8 = codec === 'vp8' || !requested.codec;
  const all =
    scope === 'call'
      ? layers.slice(-layersFor(track))
      : scaledLayers(track, quality ?? conferenceQuality, isVp8);
  // In a room, a browser that sends only one layer sends the middle one, because receivers of many videos could not choose a smaller one.
  const middle = scope === 'conference' && all.length === 3 ? -2 : -1;
  const simulcast = isVp8 && sendsOneLayer(device) ? all.slice(middle).slice(0, 1) : all;
  // If this browser cannot send the requested codec, it sends VP8.
  return { encodings: simulcast, ...(requested.codec ? requested : codecOf('vp8', device)) };
}

/**
 * Firefox has no temporal layers, and without them mediasoup does not renumber VP8 frames: after a change of layer a receiver may mistake
 * a frame of one layer for a frame of another, and decode a broken image. With a single layer there is no change of layer.
 */
const sendsOneLayer = ({ handlerName }: Device) => handlerName.startsWith('Firefox');

function codecOf(name: VideoCodec, device: Device): Pick<Encoding, 'codec'> {
  const mimeType = `video/${name}`;
  const codec = device.sendRtpCapabilities.codecs?.find((entry) => entry.mimeType.toLowerCase() === mimeType);
  return codec ? { codec } : {};
}

/** Layers for rooms and streams, with bitrates by size: in a room 150 kbit/s at 320x180, 1.7 Mbit/s at 1280x720. */
function scaledLayers(track: Sized, full: Quality, isVp8: boolean): NonNullable<Encoding['encodings']> {
  const { width = 1280, height = 720 } = track.getSettings();
  const count = layersFor(track);
  return Array.from({ length: count }, (_, index) => {
    const scaleResolutionDownBy = 2 ** (count - 1 - index);
    const share = (width * height) / scaleResolutionDownBy ** 2 / (full.width * full.height);
    // Two temporal layers for VP8, see sendsOneLayer. H264 frames have no numbers, so H264 needs none.
    return {
      scaleResolutionDownBy,
      maxBitrate: Math.round(full.maxBitrate * share ** 0.88),
      scalabilityMode: isVp8 && count > 1 ? 'L1T2' : 'L1T1',
    };
  });
}

/** The number of layers for a video. For small videos, browsers send fewer layers than requested and drop the full size first. */
function layersFor(track: Sized): number {
  const { width = 0, height = 0 } = track.getSettings();
  const shorterSide = Math.min(width, height);
  if (shorterSide >= 540) return 3;
  return shorterSide >= 270 ? 2 : 1;
}
