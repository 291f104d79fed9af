/** The counters of a call's media, summed over its tracks. */
export interface NetworkCounters {
  received: number;
  lost: number;
  /** The share of what this device sends that does not arrive, from 0 to 1. */
  sentLoss: number;
  /** Seconds to the server and back. */
  roundTrip: number;
}

const maxLoss = 0.06;
const maxRoundTrip = 0.6;
/** Fewer packets say nothing about loss. */
const minPackets = 20;

/** Sums the statistics of both directions. */
export function countersOf(sending: object[], receiving: object[]): NetworkCounters {
  const of = (reports: object[], type: string) =>
    reports.filter((report) => (report as RTCStats).type === type) as Record<string, number | undefined>[];
  const inbound = of(receiving, 'inbound-rtp');
  const reported = of(sending, 'remote-inbound-rtp');
  const sum = (reports: Record<string, number | undefined>[], field: string) =>
    reports.reduce((total, report) => total + (report[field] ?? 0), 0);
  const most = (field: string) => Math.max(0, ...reported.map((report) => report[field] ?? 0));
  return {
    received: sum(inbound, 'packetsReceived'),
    lost: sum(inbound, 'packetsLost'),
    sentLoss: most('fractionLost'),
    roundTrip: most('roundTripTime'),
  };
}

/**
 * Says whose network is weak. Loss on the way to the server, or a slow answer, is this device's; loss of received media alone is taken for
 * the other party's.
 */
export function weakSide(before: NetworkCounters, now: NetworkCounters): 'own' | 'peer' | null {
  if (now.sentLoss > maxLoss || now.roundTrip > maxRoundTrip) return 'own';
  const lost = now.lost - before.lost;
  const all = now.received - before.received + lost;
  return all >= minPackets && lost / all > maxLoss ? 'peer' : null;
}
