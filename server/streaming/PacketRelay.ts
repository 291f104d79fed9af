import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { fragment, payloadOf, typeOf, unitsOf } from './rtpPackets.ts';

const loopback = '127.0.0.1';
/** The size of the socket buffers. They are large because a key frame arrives in one burst. */
const bufferBytes = 4 * 1024 * 1024;
const addMs = 100;
const [firstSlice, lastSlice, enhancement, delimiter, filler] = [1, 5, 6, 9, 12];

/** What a relay does with the packets of a track. */
export interface Passing {
  /** Called for each packet before it is sent on; may change it. */
  onPacket: (packet: Buffer) => void;
  /** The same for RTCP. */
  onReport?: (packet: Buffer) => void;
  /** Returns packets to add. Called several times a second after begin(). */
  add?: () => Buffer[];
}

/**
 * Relays a track in RTP between a media worker and ffmpeg on the same host. It may change packets, and add some.
 *
 * close() frees the ports.
 */
export class PacketRelay {
  readonly #sockets: Socket[];
  readonly #addPackets: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param ports the RTP ports of the relay and of ffmpeg; RTCP uses the next ports */
  static async open(
    ports: { from: number; to: number },
    { onPacket, onReport = () => undefined, add }: Passing,
  ): Promise<PacketRelay> {
    const opening = [relay(ports.from, ports.to, onPacket), relay(ports.from + 1, ports.to + 1, onReport)];
    const opened = await Promise.allSettled(opening);
    const sockets = opened.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    const [rtp] = sockets;
    const addPackets = add && (() => add().forEach((packet) => rtp?.send(packet, ports.to, loopback)));
    const made = new PacketRelay(sockets, addPackets);
    const failed = opened.find((result) => result.status === 'rejected');
    if (!failed) return made;
    made.close();
    throw failed.reason;
  }

  private constructor(sockets: Socket[], addPackets: (() => void) | undefined) {
    this.#sockets = sockets;
    this.#addPackets = addPackets;
  }

  /** Call when packets are about to arrive: from then on, missing ones are added. */
  begin(): void {
    if (this.#addPackets) this.#timer = setInterval(this.#addPackets, addMs);
  }

  close(): void {
    clearInterval(this.#timer);
    for (const socket of this.#sockets) socket.close();
  }
}

async function relay(from: number, to: number, onPacket: (packet: Buffer) => void): Promise<Socket> {
  const socket = createSocket({ type: 'udp4', recvBufferSize: bufferBytes, sendBufferSize: bufferBytes });
  socket.on('message', (packet, { port }) => {
    // Reports from ffmpeg are not forwarded.
    if (port === to) return;
    onPacket(packet);
    socket.send(packet, to, loopback);
  });
  socket.bind(from, loopback);
  await once(socket, 'listening');
  // A packet that cannot be sent counts as lost on the way.
  socket.on('error', () => undefined);
  return socket;
}

/**
 * GStreamer (rtph264pay with config-interval=-1) sends the parameter sets before each slice of a key frame, although they belong before the
 * first. Decoders that use RTP timestamps accept this. ffmpeg takes them for the start of another frame and splits one frame into two broken
 * ones. So parameter sets between the slices of a frame are replaced with filler data of the same length, which keeps all sequence numbers.
 * @returns a function that repairs the packets of one stream, called in order of arrival
 */
export function h264Repair(): (packet: Buffer) => void {
  let timestamp: number | null = null;
  /** The sequence number of the latest frame's first packet with a slice. */
  let sliceAt: number | null = null;
  return (packet) => {
    const at = payloadOf(packet);
    if (at === null) return;
    const sequence = packet.readUInt16BE(2);
    const of = packet.readUInt32BE(4);
    if (of !== timestamp) {
      // Late packets of an earlier frame stay unchanged.
      if (timestamp !== null && isBefore(of, timestamp, 32)) return;
      [timestamp, sliceAt] = [of, null];
    }
    for (const [begin, end] of unitsOf(packet, at)) {
      const type = typeOf(packet, begin);
      if (type >= firstSlice && type <= lastSlice) {
        if (sliceAt === null || isBefore(sequence, sliceAt, 16)) sliceAt = sequence;
      } else if (type >= enhancement && type <= delimiter) {
        // A retransmitted packet may be the first of its frame.
        if (sliceAt !== null && !isBefore(sequence, sliceAt, 16)) fill(packet, begin, end);
      }
    }
  };
}

/** Compares sequence numbers that wrap around. */
const isBefore = (a: number, b: number, bits: number) => (a - b) << (32 - bits) < 0;

function fill(packet: Buffer, begin: number, end: number): void {
  // Parameter sets are a few dozen bytes, so they are never fragmented.
  if ((packet.readUInt8(begin) & 0x1f) === fragment) return;
  packet.fill(0xff, begin, end);
  packet.writeUInt8(filler, begin);
  if (end > begin + 1) packet.writeUInt8(0x80, end - 1);
}
