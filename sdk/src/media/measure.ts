import type { Measured } from '../../protocol/quality.ts';
import type { MediaStats } from './mediaPath.ts';

/** An entry of a WebRTC report. Browsers leave out what they do not measure. */
type Entry = Readonly<Record<string, unknown>>;
type Direction = 'sending' | 'receiving';

/** What was counted until a report, from which the next one is measured. */
export interface Counted {
  at: number;
  /** The entries of each direction, by id. */
  sending: Map<string, Entry>;
  receiving: Map<string, Entry>;
}

/** @param at the time of the statistics, in milliseconds */
export function count(stats: MediaStats, at: number): Counted {
  return { at, sending: byId(stats.sending), receiving: byId(stats.receiving) };
}

/** Measures a device's media between two moments. Tracks that began or ended in between count from or until their first or last entry. */
export function measure(before: Counted, now: Counted, path: Measured['path']): Measured {
  const change = new Change(before, now);
  return { path, roundTripMs: roundTrip(now), sending: sent(change, now), receiving: received(change, now) };
}

function sent(change: Change, now: Counted): Measured['sending'] {
  const streams = entries(now, 'sending', 'outbound-rtp');
  if (streams.length === 0) return null;
  const heard = entries(now, 'sending', 'remote-inbound-rtp');
  const videos = streams.filter(({ kind }) => kind === 'video');
  const flowing = videos.filter((entry) => change.of('sending', entry, 'bytesSent') > 0);
  const packets = change.sum('sending', streams, 'packetsSent');
  const lost = change.sum('sending', heard, 'packetsLost');
  const pair = chosenPair(now, 'sending');
  const limits = videos.map(({ qualityLimitationReason: reason }) => reason);
  return {
    kbps: change.kbps('sending', streams, 'bytesSent'),
    availableKbps: scaled(number(pair?.['availableOutgoingBitrate']), 1 / 1_000),
    lossPercent: heard.length > 0 ? percentOf(lost, packets) : null,
    jitterMs: scaled(largest(heard, 'jitter'), 1_000),
    layers: Math.min(flowing.length, 16),
    height: largest(flowing, 'frameHeight'),
    fps: largest(flowing, 'framesPerSecond'),
    limitedBy: videos.length > 0 ? limitOf(limits) : null,
  };
}

function received(change: Change, now: Counted): Measured['receiving'] {
  const streams = entries(now, 'receiving', 'inbound-rtp').filter((entry) => !isProbe(entry));
  if (streams.length === 0) return null;
  const videos = streams.filter(({ kind }) => kind === 'video');
  const flowing = videos.filter((entry) => change.of('receiving', entry, 'bytesReceived') > 0);
  const packets = change.sum('receiving', streams, 'packetsReceived');
  const lost = change.sum('receiving', streams, 'packetsLost');
  const samples = change.sum('receiving', streams, 'totalSamplesReceived');
  const frozen = videos.filter(({ freezeCount }) => number(freezeCount) !== null);
  return {
    kbps: change.kbps('receiving', streams, 'bytesReceived'),
    lossPercent: percentOf(lost, lost + packets),
    jitterMs: scaled(largest(streams, 'jitter'), 1_000),
    height: largest(flowing, 'frameHeight'),
    fps: largest(flowing, 'framesPerSecond'),
    freezes: frozen.length > 0 ? change.sum('receiving', frozen, 'freezeCount') : null,
    frozenMs:
      frozen.length > 0 ? Math.round(change.sum('receiving', frozen, 'totalFreezesDuration') * 1_000) : null,
    concealedPercent:
      samples > 0 ? percentOf(change.sum('receiving', streams, 'concealedSamples'), samples) : null,
  };
}

/** How counters have changed since the report before. */
class Change {
  readonly #before: Counted;
  readonly #seconds: number;

  constructor(before: Counted, now: Counted) {
    this.#before = before;
    this.#seconds = Math.max(0.001, (now.at - before.at) / 1_000);
  }

  /** Never negative: a counter that went back, such as that of lost packets which arrived late, counts as unchanged. */
  of(direction: Direction, entry: Entry, name: string): number {
    const before = this.#before[direction].get(String(entry['id']));
    return Math.max(0, (number(entry[name]) ?? 0) - (number(before?.[name]) ?? 0));
  }

  sum(direction: Direction, of: Entry[], name: string): number {
    return of.reduce((sum, entry) => sum + this.of(direction, entry, name), 0);
  }

  kbps(direction: Direction, of: Entry[], name: string): number {
    return Math.round((this.sum(direction, of, name) * 8) / 1_000 / this.#seconds);
  }
}

/** The round trip of the connection, in milliseconds; null before it is connected. */
function roundTrip(now: Counted): number | null {
  const pair = chosenPair(now, 'sending') ?? chosenPair(now, 'receiving');
  return scaled(number(pair?.['currentRoundTripTime']), 1_000);
}

function chosenPair(now: Counted, direction: Direction): Entry | undefined {
  const [transport] = entries(now, direction, 'transport');
  const chosen = now[direction].get(String(transport?.['selectedCandidatePairId']));
  // Firefox marks the pair itself.
  return chosen ?? entries(now, direction, 'candidate-pair').find((pair) => pair['selected'] === true);
}

const byId = (report: readonly object[]) =>
  new Map((report as Entry[]).map((entry) => [String(entry['id']), entry]));

const entries = (now: Counted, direction: Direction, type: string): Entry[] =>
  [...now[direction].values()].filter((entry) => entry['type'] === type);

/** Whether a stream is the one by which mediasoup probes the bandwidth. It carries no media and has gaps, also on a good network. */
const isProbe = ({ mid, ssrc }: Entry): boolean => mid === 'probator' || ssrc === 1234;

const number = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

function largest(of: Entry[], name: string): number | null {
  const values = of.map((entry) => number(entry[name])).filter((value) => value !== null);
  return values.length > 0 ? Math.max(0, ...values) : null;
}

const scaled = (value: number | null, factor: number) => (value === null ? null : Math.round(value * factor));

/** With one decimal. */
const percentOf = (part: number, whole: number): number =>
  whole > 0 ? Math.min(100, Math.round((part / whole) * 1_000) / 10) : 0;

function limitOf(reasons: unknown[]): 'none' | 'cpu' | 'bandwidth' | 'other' | null {
  for (const reason of ['bandwidth', 'cpu', 'other', 'none'] as const)
    if (reasons.includes(reason)) return reason;
  return null;
}
