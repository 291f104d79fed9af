import type { Device } from 'mediasoup-client';
import type { ProducerOptions } from 'mediasoup-client/types';
import type { Scope, Source } from '../../protocol/media.ts';
import { conferenceQuality, type Quality } from './qualities.ts';
import type { VideoCodec } from '../types.ts';

type Encoding = Pick<ProducerOptions, 'encodings' | 'codecOptions' | 'codec'>;

interface Sent {
  scope: Scope;
  source: Source;
  track: MediaStreamTrack;
  codec: VideoCodec;
  /** Of a stream. */
  quality?: Quality | undefined;
}

/** The same picture in up to three sizes, the full one last: whoever receives little gets a small one, and nobody else notices. */
const layers = [
  { scaleResolutionDownBy: 4, maxBitrate: 150_000 },
  { scaleResolutionDownBy: 2, maxBitrate: 500_000 },
  { scaleResolutionDownBy: 1, maxBitrate: 2_500_000 },
];

/** A screen is read, so it stays sharp and gives up frames instead. */
const screenLayers = [
  { scaleResolutionDownBy: 2, maxBitrate: 400_000, maxFramerate: 8 },
  { scaleResolutionDownBy: 1, maxBitrate: 2_500_000, maxFramerate: 15 },
];

/** How a source is sent: Opus repairs single losses itself and goes quiet in silence; a picture goes out in layers. */
export function encodingOf(sent: Sent, device: Device): Encoding {
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

function camera({ scope, track, codec, quality }: Sent, device: Device): Encoding {
  const asked = codecOf(codec, device);
  // VP9 carries its layers in one stream.
  const vp9 = [{ scalabilityMode: 'L3T3_KEY', maxBitrate: quality?.maxBitrate ?? 2_500_000 }];
  if (codec === 'vp9' && asked.codec) return { encodings: vp9, ...asked };
  const isVp8 = codec === 'vp8' || !asked.codec;
  const all =
    scope === 'call'
      ? layers.slice(-layersFor(track))
      : scaledLayers(track, quality ?? conferenceQuality, isVp8);
  // In a room they are many, and nobody can be given a smaller one.
  const middle = scope === 'conference' && all.length === 3 ? -2 : -1;
  const simulcast = isVp8 && sendsOneLayer(device) ? all.slice(middle).slice(0, 1) : all;
  // What this browser can't send, it sends as VP8.
  return { encodings: simulcast, ...(asked.codec ? asked : codecOf('vp8', device)) };
}

/**
 * Firefox has no temporal layers, and without them mediasoup does not renumber the frames of VP8: after a change of layer a viewer may take
 * a frame of one layer for one of another, and decode a broken picture. With one layer there is none to change to.
 */
const sendsOneLayer = ({ handlerName }: Device) => handlerName.startsWith('Firefox');

function codecOf(name: VideoCodec, device: Device): Pick<Encoding, 'codec'> {
  const mimeType = `video/${name}`;
  const codec = device.sendRtpCapabilities.codecs?.find((entry) => entry.mimeType.toLowerCase() === mimeType);
  return codec ? { codec } : {};
}

/** Where many are shown at once, bits go by the size of each picture: 150 kbit/s at 320x180, 1.7 Mbit/s at 1280x720. */
function scaledLayers(
  track: MediaStreamTrack,
  full: Quality,
  isVp8: boolean,
): NonNullable<Encoding['encodings']> {
  const { width = 1280, height = 720 } = track.getSettings();
  const count = layersFor(track);
  return Array.from({ length: count }, (_, index) => {
    const scaleResolutionDownBy = 2 ** (count - 1 - index);
    const share = (width * height) / scaleResolutionDownBy ** 2 / (full.width * full.height);
    // Two temporal layers: see sendsOneLayer. Frames of H264 have no numbers.
    return {
      scaleResolutionDownBy,
      maxBitrate: Math.round(full.maxBitrate * share ** 0.88),
      scalabilityMode: isVp8 && count > 1 ? 'L1T2' : 'L1T1',
    };
  });
}

/** Browsers send a small picture, upright or wide, in fewer sizes than they are asked for, and leave out the full one first. */
function layersFor(track: MediaStreamTrack): number {
  const { width = 0, height = 0 } = track.getSettings();
  const narrower = Math.min(width, height);
  if (narrower >= 540) return 3;
  return narrower >= 270 ? 2 : 1;
}
