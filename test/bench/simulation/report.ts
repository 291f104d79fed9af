import type { Measured } from '../../../sdk/protocol/quality.ts';

/** What an SDK reports of its media every ten seconds. */
export const report: Measured = {
  path: { over: 'udp', relayed: false },
  roundTripMs: 31.5,
  sending: {
    kbps: 1_712.4,
    availableKbps: 3_200,
    lossPercent: 0.12,
    jitterMs: 4.2,
    layers: 3,
    height: 720,
    fps: 25,
    limitedBy: 'none',
  },
  receiving: {
    kbps: 4_512.8,
    lossPercent: 0.2,
    jitterMs: 5.1,
    height: 360,
    fps: 25,
    freezes: 0,
    frozenMs: 0,
    concealedPercent: 0.1,
  },
};
