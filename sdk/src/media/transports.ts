import type { Device } from 'mediasoup-client';
import type { IceParameters as ClientIceParameters, Transport } from 'mediasoup-client/types';
import type {
  IceServers,
  JoinedMedia,
  Scope,
  Source,
  VideoSize,
  WireTransport,
} from '../../protocol/media.ts';
import type { Connection } from '../connection/Connection.ts';

/** The call, room or stream that media belongs to. */
export interface Room {
  scope: Scope;
  id: string;
}

/** How long a disconnected transport may take to recover by itself before ICE is restarted. */
const recoveryMs = 1_000;

/** The data of a new producer (`appData`) for `media.produce`. */
export interface Producing {
  source: Source;
  paused: boolean;
  size?: VideoSize | undefined;
  /** The request, once it is sent. */
  request?: Promise<unknown>;
}

interface TransportOptions {
  device: Device;
  joined: JoinedMedia;
  connection: Connection;
  room: Room;
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
      const sent = { ...room, transportId, dtlsParameters };
      onConnecting(connection.requestUntilTaken('media.connectTransport', sent, () => !transport.closed));
      // ICE and DTLS start before the answer. The server finishes them when it has the parameters.
      done();
    });
  }
  let produced = 0;
  sending?.on('produce', ({ rtpParameters, appData }, done) => {
    const producing = appData as unknown as Producing;
    const { source, paused, size } = producing;
    const sent = { ...room, source, paused, rtpParameters: rtpParameters as never, size };
    producing.request = connection.requestUntilTaken('media.produce', sent, () => !sending.closed);
    // Reported to the one who publishes.
    producing.request.catch(() => undefined);
    // The transport publishes one source after another, and must not wait for each answer. The server knows a producer by its source, so any
    // id will do.
    done({ id: `${source} ${++produced}` });
  });
  return { sending, receiving };
}

/** Calls `recover` when a transport is broken, after a moment in which it may recover by itself. */
export function whenBroken(transport: Transport, recover: () => void): void {
  transport.on('connectionstatechange', (state) => {
    if (state !== 'disconnected' && state !== 'failed') return;
    setTimeout(
      () => {
        if (!transport.closed && transport.connectionState !== 'connected') recover();
      },
      state === 'failed' ? 0 : recoveryMs,
    );
  });
}

/** Finds a new network path to the server, because the network has changed or the old path is broken. */
export async function restartIce(transport: Transport, connection: Connection, room: Room): Promise<void> {
  if (transport.closed || transport.connectionState === 'new') return;
  const request = { ...room, transportId: transport.id };
  const { iceParameters } = await connection.request('media.restartIce', request);
  await transport.restartIce({ iceParameters: iceParameters as ClientIceParameters });
}

/** The transports of a device, as a list. A viewer has only the receiving one. */
export const both = (transports: { sending: Transport | null; receiving: Transport | null }): Transport[] =>
  [transports.sending, transports.receiving].filter((transport) => transport !== null);

const toClient = (transport: WireTransport, iceServers: IceServers) =>
  ({ ...transport, iceServers }) as never;
