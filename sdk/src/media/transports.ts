import type { Device } from 'mediasoup-client';
import type { Transport } from 'mediasoup-client/types';
import type {
  IceServers,
  JoinedMedia,
  Scope,
  Source,
  VideoSize,
  WireTransport,
} from '../../protocol/media.ts';
import type { Connection } from '../connection/Connection.ts';

/** The data of a new producer (`appData`) for `media.produce`. */
export interface Producing {
  source: Source;
  paused: boolean;
  size?: VideoSize | undefined;
}

interface TransportOptions {
  device: Device;
  joined: JoinedMedia;
  connection: Connection;
  room: { scope: Scope; id: string };
  /** Called with the request that connects a transport. */
  onConnecting: (request: Promise<unknown>) => void;
}

/** Creates this device's transports for a room. They send the requests to connect and to produce by themselves. */
export function createTransports({ device, joined, connection, room, onConnecting }: TransportOptions): {
  sending: Transport | null;
  receiving: Transport;
} {
  const { iceServers } = joined;
  const sending =
    joined.sendTransport && device.createSendTransport(toClient(joined.sendTransport, iceServers));
  const receiving = device.createRecvTransport(toClient(joined.recvTransport, iceServers));
  for (const transport of both({ sending, receiving })) {
    transport.on('connect', ({ dtlsParameters }, done) => {
      const transportId = transport.id;
      onConnecting(connection.request('media.connectTransport', { ...room, transportId, dtlsParameters }));
      // ICE and DTLS start before the answer. The server finishes them when it has the parameters.
      done();
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
