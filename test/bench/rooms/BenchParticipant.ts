import type { RtpCapabilities, RtpParameters } from '../../../sdk/protocol/media.ts';
import type { RtpTransport, ServerEnd } from '../../harness/clients/RtpTransport.ts';

/** A consumer that the server offers to the participant. It is paused. */
export interface Offered {
  id: string;
  kind: 'audio' | 'video';
}

/** A transport of a server. Only a server that answers the participant's offer tells its own end later, in the answer of connect(). */
export type Transport = { id: string } & Partial<ServerEnd>;

/** The participant's end of a transport. */
export type OwnEnd = Pick<RtpTransport, 'dtlsParameters' | 'iceParameters'>;

/** A participant's connection to Parley or to a baseline. */
export interface BenchParticipant {
  /** The local address of its media; null for all. @default loopback */
  bindAddress?: string | null;
  /** Joins the room and creates its transports. */
  join(): Promise<{ sendTransport: Transport | null; recvTransport: Transport | null }>;
  /** @returns the server's end of the transport, if join() has not told it */
  connect(transportId: string, own: OwnEnd): Promise<ServerEnd | void>;
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
