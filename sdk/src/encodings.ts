import type { Device } from 'mediasoup-client';
import type { ProducerOptions } from 'mediasoup-client/types';
import type { Source } from '../protocol/media.ts';
import type { VideoCodec } from './types.ts';

type Encoding = Pick<ProducerOptions, 'encodings' | 'codecOptions' | 'codec'>;

/** Three sizes of the same picture: whoever receives little gets a small one, and nobody else notices. */
const simulcast = [
  { scaleResolutionDownBy: 4, maxBitrate: 150_000 },
  { scaleResolutionDownBy: 2, maxBitrate: 500_000 },
  { scaleResolutionDownBy: 1, maxBitrate: 2_500_000 },
];

/** How a source is sent: Opus repairs single losses itself and goes quiet in silence; a camera goes out in three layers. */
export function encodingOf(source: Source, codec: VideoCodec, device: Device): Encoding {
  switch (source) {
    case 'microphone':
      return { codecOptions: { opusFec: true, opusDtx: true } };
    case 'screen-audio':
      return { codecOptions: { opusFec: true, opusStereo: true } };
    case 'screen':
    case 'camera':
      return { ...video(codec, device), codecOptions: { videoGoogleStartBitrate: 800 } };
  }
}

function video(name: VideoCodec, device: Device): Encoding {
  const mimeType = `video/${name}`;
  const codec = device.sendRtpCapabilities.codecs?.find((entry) => entry.mimeType.toLowerCase() === mimeType);
  // VP9 carries its layers in one stream.
  const encodings = name === 'vp9' ? [{ scalabilityMode: 'L3T3_KEY', maxBitrate: 2_500_000 }] : simulcast;
  return { encodings, ...(codec ? { codec } : {}) };
}
