import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { freePorts } from '../../test/harness/nodes/ports.ts';
import { h264Repair, PacketRelay } from './PacketRelay.ts';

const units = {
  idr: [0x65, 0x88, 0x80],
  slice: [0x41, 0x9a, 0x10],
  sps: [0x67, 0x42, 0xc0, 0x15],
  pps: [0x68, 0xce, 0x38],
  delimiter: [0x09, 0x10],
  fill4: [0x0c, 0xff, 0xff, 0x80],
  fill3: [0x0c, 0xff, 0x80],
  fill2: [0x0c, 0x80],
};
type Unit = keyof typeof units;

function packetOf(sequence: number, timestamp: number, payload: number[]): Buffer {
  const header = Buffer.alloc(12);
  header[0] = 0x80;
  header.writeUInt16BE(sequence, 2);
  header.writeUInt32BE(timestamp, 4);
  return Buffer.concat([header, Buffer.from(payload)]);
}
const single = (sequence: number, timestamp: number, name: Unit) =>
  packetOf(sequence, timestamp, units[name]);
const aggregated = (sequence: number, timestamp: number, ...names: Unit[]) =>
  packetOf(sequence, timestamp, [24, ...names.flatMap((name) => [0, units[name].length, ...units[name]])]);

function repaired(...packets: Buffer[]): Buffer[] {
  const repair = h264Repair();
  for (const packet of packets) repair(packet);
  return packets;
}

describe('the relay of video to ffmpeg', () => {
  it('removes parameter sets between the slices of a frame', () => {
    // The packets are as GStreamer sends them.
    expect(
      repaired(
        aggregated(65_535, 9, 'delimiter', 'sps', 'pps', 'sps', 'pps', 'idr', 'sps', 'pps'),
        single(0, 9, 'idr'),
        aggregated(1, 9, 'sps', 'pps', 'delimiter', 'idr'),
        single(2, 9, 'sps'),
        aggregated(3, 5_009, 'delimiter', 'slice', 'slice'),
        aggregated(4, 9_009, 'delimiter', 'sps', 'pps', 'idr'),
      ),
    ).toEqual([
      aggregated(65_535, 9, 'delimiter', 'sps', 'pps', 'sps', 'pps', 'idr', 'fill4', 'fill3'),
      single(0, 9, 'idr'),
      aggregated(1, 9, 'fill4', 'fill3', 'fill2', 'idr'),
      single(2, 9, 'fill4'),
      aggregated(3, 5_009, 'delimiter', 'slice', 'slice'),
      aggregated(4, 9_009, 'delimiter', 'sps', 'pps', 'idr'),
    ]);
  });

  it('keeps other packets, and parameter sets before the first slice, even if these arrive late', () => {
    const fragment = (sequence: number, timestamp: number) => packetOf(sequence, timestamp, [0x7c, 0x05, 1]);
    const extended = packetOf(12, 9_000, [0xbe, 0xde, 0, 1, 0x10, 0, 0, 0, ...units.sps]);
    extended[0] = 0x90;
    const packets = () => [
      fragment(11, 9_000),
      aggregated(10, 9_000, 'sps', 'pps'),
      single(9, 5_000, 'sps'),
      Buffer.from([1, 2, 3]),
      packetOf(13, 9_000, []),
      packetOf(14, 9_000, [24, 0, 9, 0x67]),
    ];
    expect(repaired(...packets())).toEqual(packets());
    const [, late] = repaired(fragment(11, 9_000), extended);
    expect([...(late?.subarray(-4) ?? [])]).toEqual(units.fill4);
  });

  let relay: PacketRelay | undefined;
  const sockets: Socket[] = [];
  afterEach(() => {
    relay?.close();
    for (const socket of sockets.splice(0)) socket.close();
  });

  it('relays RTCP reports, and sends nothing from ffmpeg back', async () => {
    const from = await freePorts(4);
    const to = from + 2;
    relay = await PacketRelay.open({ from, to }, { onPacket: h264Repair() });
    const bound = (port: number) => {
      const socket = createSocket('udp4').bind(port, '127.0.0.1');
      sockets.push(socket);
      return socket;
    };
    const [rtp, rtcp, worker] = [bound(to), bound(to + 1), bound(0)];
    await Promise.all([rtp, rtcp, worker].map((socket) => once(socket, 'listening')));
    const heard = [once(rtp, 'message'), once(rtcp, 'message')];
    const reports: Buffer[] = [];
    rtcp.on('message', (packet) => reports.push(packet));
    rtcp.send('back', from + 1, '127.0.0.1');
    worker.send(single(1, 1, 'sps'), from, '127.0.0.1');
    worker.send('report', from + 1, '127.0.0.1');
    const [[frame]] = (await Promise.all(heard)) as [[Buffer], unknown];
    expect(frame).toEqual(single(1, 1, 'sps'));
    expect(String(reports)).toBe('report');
    await expect(PacketRelay.open({ from, to }, { onPacket: h264Repair() })).rejects.toThrow('EADDRINUSE');
  });
});
