import { createServer } from 'node:http';
import { availableParallelism } from 'node:os';
import { build } from 'esbuild';
import * as mediasoup from 'mediasoup';
import type { types } from 'mediasoup';
import { Server, type Socket } from 'socket.io';
import { mediaCodecs } from '../../../media/router/codecs.ts';
import { withoutEstimate } from '../../../media/router/ViewerBandwidth.ts';
import { workerBinary } from '../../../media/worker/workerBinary.mjs';
import type { BareOptions } from '../bareServer.ts';

/*
 * The baseline: a server modelled on the examples of mediasoup and Socket.IO, without identity, rules or storage. Each room has one
 * router, unless `routerPerWorker` is set. Each participant sends, and consumes what the others send. As in mediasoup's demo, there is one
 * worker per core, and rooms are assigned to the workers round robin.
 */

const [, , portText = '', optionsText = '{}'] = process.argv;
const port = Number(portText);
const {
  workerBin = workerBinary(),
  portPerTransport,
  smallBuffers,
  routerPerWorker,
  noEstimate,
} = JSON.parse(optionsText) as BareOptions;

/** The same sizes as in Parley. With the kernel's defaults, a busy machine loses packets, which would make the baseline look cheaper. */
const buffers = smallBuffers ? {} : { sendBufferSize: 4 * 1024 * 1024, recvBufferSize: 4 * 1024 * 1024 };
const workers = await Promise.all(
  Array.from({ length: availableParallelism() }, async () => {
    const worker = await mediasoup.createWorker({ logLevel: 'warn', workerBin });
    const webRtcServer = await worker.createWebRtcServer({
      listenInfos: [
        { protocol: 'udp', ip: '127.0.0.1', ...buffers },
        { protocol: 'tcp', ip: '127.0.0.1', ...buffers },
      ],
    });
    return { worker, webRtcServer };
  }),
);

interface Place {
  router: types.Router;
  webRtcServer: types.WebRtcServer;
}
/** The routers of each room. */
const rooms = new Map<string, Promise<Place[]>>();
function roomOf(name: string): Promise<Place[]> {
  const room = rooms.get(name) ?? openRoom(rooms.size);
  rooms.set(name, room);
  return room;
}
function openRoom(index: number): Promise<Place[]> {
  const assigned = routerPerWorker ? workers : workers.filter((_, at) => at === index % workers.length);
  return Promise.all(
    assigned.map(async ({ worker, webRtcServer }) => ({
      router: await worker.createRouter({ mediaCodecs }),
      webRtcServer,
    })),
  );
}
let connections = 0;

const { outputFiles } = await build({
  entryPoints: [new URL('page.ts', import.meta.url).pathname],
  bundle: true,
  format: 'esm',
  minify: true,
  write: false,
});
const script = outputFiles[0]?.text ?? '';

const http = createServer((request, response) => {
  const isScript = request.url === '/page.js';
  response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html');
  response.end(isScript ? script : '<!doctype html><title>bare</title>');
});
const io = new Server(http, { transports: ['websocket'] });

type Acknowledge = (answer: unknown) => void;

io.on('connection', (socket: Socket) => {
  const room = String(socket.handshake.auth.room ?? '');
  void socket.join(room);
  const connection = connections++;
  const place = async () => {
    const places = await roomOf(room);
    return places[connection % places.length] as Place;
  };
  const transports = new Map<string, types.WebRtcTransport>();
  const consumers = new Map<string, types.Consumer>();
  const producers = new Set<types.Producer>();
  const on = <Payload>(name: string, run: (payload: Payload) => Promise<unknown>) =>
    socket.on(name, (payload: Payload, acknowledge: Acknowledge) => {
      // A request may fail after a page reload, because it refers to objects that are already closed.
      run(payload).then(acknowledge, () => acknowledge({}));
    });

  socket.on('ping', (_payload: unknown, acknowledge: Acknowledge) => acknowledge({}));
  on('capabilities', async () => (await place()).router.rtpCapabilities);
  on('createTransport', async () => {
    const { router, webRtcServer } = await place();
    const transport = await router.createWebRtcTransport({
      ...(portPerTransport
        ? { listenInfos: [{ protocol: 'udp', ip: '127.0.0.1', ...buffers }] }
        : { webRtcServer }),
      initialAvailableOutgoingBitrate: 1_000_000,
    });
    transports.set(transport.id, transport);
    const { id, iceParameters, iceCandidates, dtlsParameters } = transport;
    return { id, iceParameters, iceCandidates, dtlsParameters };
  });
  on(
    'connect-transport',
    async ({ id, dtlsParameters }: { id: string; dtlsParameters: types.DtlsParameters }) => {
      await transports.get(id)?.connect({ dtlsParameters });
      return {};
    },
  );
  on('produce', async ({ id, kind, rtpParameters }: { id: string } & types.ProducerOptions) => {
    const producer = await transports.get(id)?.produce({ kind, rtpParameters });
    if (!producer) return {};
    producers.add(producer);
    const { router: own } = await place();
    for (const { router } of await roomOf(room))
      if (router !== own) await own.pipeToRouter({ producerId: producer.id, router });
    socket.to(room).emit('producer', { producerId: producer.id });
    return { producerId: producer.id };
  });
  on('producers', async () => {
    const others = (await io.in(room).fetchSockets()).filter(({ id }) => id !== socket.id);
    return others.flatMap((other) => (other.data as { producers: string[] }).producers);
  });
  on(
    'consume',
    async ({
      id,
      producerId,
      rtpCapabilities: offered,
    }: {
      id: string;
      producerId: string;
      rtpCapabilities: types.RtpCapabilities;
    }) => {
      const rtpCapabilities = noEstimate ? withoutEstimate(offered) : offered;
      const consumer = await transports.get(id)?.consume({ producerId, rtpCapabilities, paused: true });
      if (!consumer) return {};
      consumers.set(consumer.id, consumer);
      consumer.on('producerclose', () => socket.emit('ended', { consumerId: consumer.id }));
      return { id: consumer.id, producerId, kind: consumer.kind, rtpParameters: consumer.rtpParameters };
    },
  );
  on('prefer', async ({ consumerId, spatialLayer }: { consumerId: string; spatialLayer: number }) => {
    await consumers.get(consumerId)?.setPreferredLayers({ spatialLayer });
    return {};
  });
  on('resume', async ({ consumerId }: { consumerId: string }) => {
    await consumers.get(consumerId)?.resume();
    return {};
  });
  on('leave', () => {
    for (const transport of transports.values()) transport.close();
    transports.clear();
    producers.clear();
    return Promise.resolve({});
  });
  Object.defineProperty(socket.data, 'producers', { get: () => [...producers].map(({ id }) => id) });
  socket.on('disconnect', () => transports.forEach((transport) => transport.close()));
});

http.listen(port, '127.0.0.1', () => console.log('listening'));
process.stdin.resume().once('end', () => process.exit());
