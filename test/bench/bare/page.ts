import { Device } from 'mediasoup-client';
import type { Consumer, ConsumerOptions, Transport } from 'mediasoup-client/types';
import { io } from 'socket.io-client';

/* The page of the baseline: connects, sends camera and microphone, and shows what the other page sends. */

const socket = io({ transports: ['websocket'] });
const request = <T>(name: string, payload: unknown = {}) => socket.emitWithAck(name, payload) as Promise<T>;

const device = new Device();
const loaded = request<never>('capabilities').then((routerRtpCapabilities) =>
  device.load({ routerRtpCapabilities }),
);

let [transports, tracks]: [Transport[], MediaStreamTrack[]] = [[], []];
let receiving: Transport | null = null;
const consumers = new Map<string, Consumer>();
socket.on('producer', ({ producerId }: { producerId: string }) => void consume(producerId));
socket.on('ended', ({ consumerId }: { consumerId: string }) => {
  consumers.get(consumerId)?.close();
  consumers.delete(consumerId);
});

async function createTransport(direction: 'send' | 'recv'): Promise<Transport> {
  const options = await request<never>('createTransport');
  const transport =
    direction === 'send' ? device.createSendTransport(options) : device.createRecvTransport(options);
  transport.on('connect', ({ dtlsParameters }, done, failed) => {
    request('connect-transport', { id: transport.id, dtlsParameters }).then(done, failed);
  });
  transport.on('produce', ({ kind, rtpParameters }, done, failed) => {
    request<{ producerId: string }>('produce', { id: transport.id, kind, rtpParameters }).then(
      ({ producerId }) => done({ id: producerId }),
      failed,
    );
  });
  return transport;
}

async function consume(producerId: string): Promise<void> {
  const transport = receiving;
  if (!transport) return;
  const { rtpCapabilities } = device;
  const consumer = await transport.consume(
    await request<ConsumerOptions>('consume', { id: transport.id, producerId, rtpCapabilities }),
  );
  consumers.set(consumer.id, consumer);
  if (consumer.kind === 'video') window.showFirstFrame(consumer.track);
  await request('resume', { consumerId: consumer.id });
}

/** Joins the call: opens the camera and both transports, then starts sending and receiving at the same time. */
window.join = async (constraints) => {
  const stream = await navigator.mediaDevices.getUserMedia(constraints);
  await loaded;
  const [sending, recv] = await Promise.all([createTransport('send'), createTransport('recv')]);
  receiving = recv;
  transports = [sending, recv];
  tracks = stream.getTracks();
  const others = request<string[]>('producers').then((ids) => Promise.all(ids.map(consume)));
  const producers = await Promise.all(tracks.map((track) => sending.produce({ track, stopTracks: false })));
  await others;
  return producers.find(({ kind }) => kind === 'video')?.id ?? '';
};

/** Closes what join() opened, camera and microphone too. */
window.leave = async () => {
  for (const track of tracks) track.stop();
  receiving = null;
  consumers.clear();
  for (const transport of transports) transport.close();
  await request('leave');
};

declare global {
  interface Window {
    /** @returns the id of the producer of the camera */
    join: (constraints: MediaStreamConstraints) => Promise<string>;
    leave: () => Promise<void>;
    /** Resolves `firstFrame` when the track's first frame has been decoded. */
    showFirstFrame: (track: MediaStreamTrack) => void;
    firstFrame: Promise<number>;
  }
}
