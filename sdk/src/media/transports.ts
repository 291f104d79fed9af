import type { Device } from 'mediasoup-client';
import type { Transport } from 'mediasoup-client/types';
import type { IceServers, Scope, Source, VideoSize, WireTransport } from '../../protocol/media.ts';
import type { ResponseOf } from '../../protocol/wire.ts';
import type { Connection } from '../connection/Connection.ts';

/** The data of a new producer (`appData`) for `media.produce`. */
export interface Producing {
  source: Source;
  paused: boolean;
  size?: VideoSize | undefined;
}

/** Creates this device's transports for a room. They send the requests to connect and to produce by themselves. */
export function createTransports(
  device: Device,
  joined: ResponseOf<'media.join'>,
  connection: Connection,
  room: { scope: Scope; id: string },
): { sending: Transport | null; receiving: Transport } {
  const { iceServers } = joined;
  const sending =
    joined.sendTransport && device.createSendTransport(toClient(joined.sendTransport, iceServers));
  const receiving = device.createRecvTransport(toClient(joined.recvTransport, iceServers));
  for (const transport of both({ sending, receiving })) {
    transport.on('connect', ({ dtlsParameters }, done, failed) => {
      connection
        .request('media.connectTransport', { ...room, transportId: transport.id, dtlsParameters })
        .then(done, failed);
    });
  }
  sending?.on('produce', ({ rtpParameters, appData }, done, failed) => {
    const { source, paused, size } = appData as unknown as Producing;
    connection
      .request('media.produce', { ...room, source, paused, rtpParameters: rtpParameters as never, size })
      .then(({ producerId }) => done({ id: producerId }), failed);
  });
  return { sending, receiving };
}

/** The transports of a device, as a list. A viewer has only the receiving one. */
export const both = (transports: { sending: Transport | null; receiving: Transport | null }): Transport[] =>
  [transports.sending, transports.receiving].filter((transport) => transport !== null);

const toClient = (transport: WireTransport, iceServers: IceServers) =>
  ({ ...transport, iceServers }) as never;
