import { expect, it } from 'vitest';
import { count, measure } from './measure.ts';

/** What Chromium reports of a received video, and of the stream by which mediasoup probes the bandwidth. */
const video = { id: 'video', type: 'inbound-rtp', kind: 'video', ssrc: 968192639, mid: '1', timestamp: 0 };
const probe = { id: 'probe', type: 'inbound-rtp', kind: 'video', ssrc: 1234, mid: 'probator', timestamp: 0 };

const before = count({ sending: [], receiving: [], path: null }, 0);
const receivedWith = (entries: object[]) =>
  measure(before, count({ sending: [], receiving: entries as RTCStats[], path: null }, 10_000), null)
    .receiving;

const good = { ...video, packetsReceived: 250, packetsLost: 0, bytesReceived: 125_000, jitter: 0.001 };
const gaps = { ...probe, packetsReceived: 24, packetsLost: 8, bytesReceived: 17_056, jitter: 0.47 };

it('measures received media', () => {
  expect(receivedWith([good])).toMatchObject({ kbps: 100, lossPercent: 0, jitterMs: 1 });
  expect(receivedWith([{ ...good, packetsLost: 10 }])).toMatchObject({ lossPercent: 3.8 });
});

it('leaves out the probes of the bandwidth, which have gaps on a good network too', () => {
  expect(receivedWith([good, gaps])).toEqual(receivedWith([good]));
  // A browser that does not name the line of the stream reports its number.
  expect(receivedWith([good, { ...gaps, mid: undefined }])).toEqual(receivedWith([good]));
  expect(receivedWith([gaps])).toBeNull();
});
