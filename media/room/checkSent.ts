import { parseScalabilityMode } from 'mediasoup';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { RtpParameters } from '../../sdk/protocol/media.ts';

const mostLayers = 4;

/**
 * Checks what a device is about to send, beyond what mediasoup checks. With several codecs, mediasoup accepts producers that it can create
 * no consumers of. It accepts video as audio, which the rules of a room may forbid. And it counts the bitrate of each layer that is declared,
 * so that hundreds of them would occupy a worker.
 * @throws ParleyError VALIDATION_ERROR
 */
export function checkSent(kind: 'audio' | 'video', { codecs, encodings = [] }: RtpParameters): void {
  const names = codecs.map(({ mimeType }) => mimeType.toLowerCase());
  if (!names.every((name) => name.startsWith(`${kind}/`))) throw invalid(`this source needs ${kind} codecs`);
  if (names.filter((name) => name !== 'video/rtx').length !== 1)
    throw invalid('send one codec, and at most its retransmissions besides');
  for (const { scalabilityMode } of encodings) {
    const { spatialLayers, temporalLayers } = parseScalabilityMode(scalabilityMode);
    if (Math.max(spatialLayers, temporalLayers) > mostLayers)
      throw invalid(`a scalability mode has at most ${mostLayers} layers`);
  }
}

const invalid = (why: string) => new ParleyError('VALIDATION_ERROR', `Not valid for this room: ${why}.`);
