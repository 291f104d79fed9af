import type {
  DtlsParameters,
  RtpCapabilities,
  RtpParameters,
  WireTransport,
} from '../../../sdk/protocol/media.ts';

/** A consumer that waits, paused. */
export interface Offered {
  id: string;
  kind: 'audio' | 'video';
}

/** One participant's connection to a server, whichever it is. */
export interface BenchParticipant {
  /** Into the room, with two transports. */
  join(): Promise<{ sendTransport: WireTransport | null; recvTransport: WireTransport }>;
  connect(transportId: string, dtlsParameters: DtlsParameters): Promise<void>;
  produce(kind: 'audio' | 'video', rtpParameters: RtpParameters): Promise<void>;
  /** All have come and send: takes what they send, pictures in this layer. Settles when all of it has been asked for. */
  receive(layer: number): Promise<void>;
  close(): void;
}

/** What the peers decode: Opus, and VP8 with retransmission. */
export function decodable(router: RtpCapabilities): RtpCapabilities {
  const isUsed = ({ mimeType, preferredPayloadType }: RtpCapabilities['codecs'][number]) =>
    /opus|vp8/i.test(mimeType) || (/rtx/i.test(mimeType) && preferredPayloadType === payloadTypes.rtx);
  return { ...router, codecs: router.codecs.filter(isUsed) };
}

/** As mediasoup's routers prefer them, with the codecs we have (media/router/codecs.ts). */
export const payloadTypes = { opus: 100, vp8: 101, rtx: 102 };
