import type { Device } from 'mediasoup-client';
import type { ProducerOptions } from 'mediasoup-client/types';
import type { Source } from '../protocol/media.ts';
import type { VideoCodec } from './types.ts';

type Encoding = Pick<ProducerOptions, 'encodings' | 'codecOptions' | 'codec'>;

interface Sent {
  source: Source;
  track: MediaStreamTrack;
  codec: VideoCodec;
}

/** The same picture in up to three sizes, the full one last: whoever receives little gets a small one, and nobody else notices. */
const layers = [
  { scaleResolutionDownBy: 4, maxBitrate: 150_000 },
  { scaleResolutionDownBy: 2, maxBitrate: 500_000 },
  { scaleResolutionDownBy: 1, maxBitrate: 2_500_000 },
];

/** How a source is sent: Opus repairs single losses itself and goes quiet in silence; a picture goes out in layers. */
export function encodingOf({ source, track, codec }: Sent, device: Device): Encoding {
  switch (source) {
    case 'microphone':
      return { codecOptions: { opusFec: true, opusDtx: true } };
    case 'screen-audio':
      return { codecOptions: { opusFec: true, opusStereo: true } };
    case 'screen':
    case 'camera':
      return { ...video(track, codec, device), codecOptions: { videoGoogleStartBitrate: 800 } };
  }
}

function video(track: MediaStreamTrack, name: VideoCodec, device: Device): Encoding {
  const mimeType = `video/${name}`;
  const codec = device.sendRtpCapabilities.codecs?.find((entry) => entry.mimeType.toLowerCase() === mimeType);
  // VP9 carries its layers in one stream.
  const vp9 = [{ scalabilityMode: 'L3T3_KEY', maxBitrate: 2_500_000 }];
  return { encodings: name === 'vp9' ? vp9 : layers.slice(-layersFor(track)), ...(codec ? { codec } : {}) };
}

/** Browsers send a small picture in fewer sizes than they are asked for, and leave out the full one first. */
function layersFor(track: MediaStreamTrack): number {
  const { height = 0 } = track.getSettings();
  if (height >= 540) return 3;
  return height >= 270 ? 2 : 1;
}
