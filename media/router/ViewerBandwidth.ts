import type { types } from 'mediasoup';

/** The header extensions from which the bandwidth of a connection is estimated. */
const uris = new Set([
  'http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01',
  'http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time',
]);

/**
 * Decides whether the bandwidth of a viewer's connection is estimated. The estimate costs almost a third of a viewer's CPU time, and serves
 * to choose a layer. A video with a single layer, as OBS sends it, leaves no choice.
 *
 * The worker numbers all packets of a connection or none, and a receiver that does not know the numbers would seem to lose packets. So all
 * consumers of a connection are alike, and the first one decides: if it is a video with a single layer, there is no estimate until the
 * producers have closed.
 */
export class ViewerBandwidth {
  #isEstimated = false;
  /** The producers that the viewer receives without an estimate. */
  readonly #producers = new Set<types.Producer>();

  /** @returns the capabilities with which to create the viewer's consumer of this producer */
  capabilitiesFor(producer: types.Producer, capabilities: types.RtpCapabilities): types.RtpCapabilities {
    for (const other of this.#producers) if (other.closed) this.#producers.delete(other);
    const hasOneLayer = producer.kind === 'video' && producer.type === 'simple';
    this.#isEstimated ||= this.#producers.size === 0 && !hasOneLayer;
    if (this.#isEstimated) return capabilities;
    this.#producers.add(producer);
    return withoutEstimate(capabilities);
  }
}

/** The capabilities for a consumer whose receiver reports nothing from which the bandwidth could be estimated. */
export function withoutEstimate({
  headerExtensions = [],
  ...rest
}: types.RtpCapabilities): types.RtpCapabilities {
  return { ...rest, headerExtensions: headerExtensions.filter(({ uri }) => !uris.has(uri)) };
}
