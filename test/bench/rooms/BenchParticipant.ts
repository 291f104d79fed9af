import type {
  DtlsParameters,
  RtpCapabilities,
  RtpParameters,
  WireTransport,
} from '../../../sdk/protocol/media.ts';

/** A consumer that the server offers to the participant. It is paused. */
export interface Offered {
  id: string;
  kind: 'audio' | 'video';
}

/** A participant's connection to Parley or to the baseline. */
export interface BenchParticipant {
  /** The local address of its media; null for all. @default loopback */
  bindAddress?: string | null;
  /** Joins the room and creates two transports. */
  join(): Promise<{ sendTransport: WireTransport | null; recvTransport: WireTransport }>;
  connect(transportId: string, dtlsParameters: DtlsParameters): Promise<void>;
  produce(kind: 'audio' | 'video', rtpParameters: RtpParameters): Promise<void>;
  /** Consumes the others' media, with video in this layer. Called once everyone is sending. Resolves when all media is requested. */
  receive(layer: number): Promise<void>;
  close(): void;
}

/** The codecs that peers receive: Opus, and VP8 with retransmission. */
export function decodable(router: RtpCapabilities): RtpCapabilities {
  const isUsed = ({ mimeType, preferredPayloadType }: RtpCapabilities['codecs'][number]) =>
    /opus|vp8/i.test(mimeType) || (/rtx/i.test(mimeType) && preferredPayloadType === payloadTypes.rtx);
  return { ...router, codecs: router.codecs.filter(isUsed) };
}

/** The payload types that mediasoup's routers prefer for Parley's codecs (media/router/codecs.ts). */
export const payloadTypes = { opus: 100, vp8: 101, rtx: 102 };
