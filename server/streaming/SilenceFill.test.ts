import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SilenceFill } from './SilenceFill.ts';

const [ssrc, payloadType] = [7, 100];
let fill: SilenceFill;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  fill = new SilenceFill(ssrc, payloadType);
});
afterEach(() => {
  vi.useRealTimers();
});

const pass = (ms: number) => vi.advanceTimersByTime(ms);
const numbersOf = (packet: Buffer) => [packet.readUInt16BE(2), packet.readUInt32BE(4)];

/** A packet of the publisher arrives. @returns its numbers as they are sent on */
function arrives(sequence: number, timestamp: number): number[] {
  const packet = Buffer.alloc(20, 1);
  packet.writeUInt8(0x80);
  packet.writeUInt16BE(sequence, 2);
  packet.writeUInt32BE(timestamp, 4);
  fill.onPacket(packet);
  return numbersOf(packet);
}

it('leaves sound as it is, also when packets are rare in silence', () => {
  for (const sequence of [65_534, 65_535, 0, 1]) {
    const timestamp = (19_200 * sequence) >>> 0;
    expect(arrives(sequence, timestamp)).toEqual([sequence, timestamp]);
    pass(400);
    expect(fill.add()).toEqual([]);
  }
});

it('adds silence while none comes, and goes on with the sound', () => {
  arrives(65_535, 960);
  pass(640);
  const added = fill.add();
  expect(added.map(numbersOf)).toEqual([
    [0, 1_920],
    [1, 2_880],
  ]);
  expect(added[0]).toEqual(Buffer.from('80640000000007800000000' + '7f8fffe', 'hex'));
  expect(fill.add()).toEqual([]);
  pass(20);
  expect(fill.add().map(numbersOf)).toEqual([[2, 3_840]]);
  // 660 ms later by both clocks.
  expect(arrives(0, 32_640)).toEqual([3, 32_640]);
  expect(arrives(1, 33_600)).toEqual([4, 33_600]);
});

it('takes packets for late, and not for later sound, after a stall of the network', () => {
  arrives(0, 0);
  pass(2_600);
  expect(fill.add()).toHaveLength(100);
  expect(arrives(1, 960)).toEqual([101, 960]);
  expect(arrives(2, 1_920)).toEqual([102, 1_920]);
});

it('begins with silence, and goes on with the sound, if the microphone is muted from the start', () => {
  const report = () => {
    const bytes = Buffer.alloc(28);
    bytes.writeUInt8(200, 1);
    bytes.writeUInt32BE(5_000, 16);
    fill.onReport(bytes);
    return bytes.readUInt32BE(16);
  };
  expect(fill.add()).toEqual([]);
  pass(10_000);
  expect(fill.add()).toHaveLength(470);
  expect(report()).toBe(5_000);
  expect(arrives(900, 5_000)).toEqual([471, 480_000]);
  expect(report()).toBe(480_000);
  pass(1_000);
  expect(fill.add()).toHaveLength(20);
  expect(arrives(901, 53_000)).toEqual([492, 528_000]);
});
