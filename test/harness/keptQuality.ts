import type { Sample } from '../../signaling/quality/tables.ts';

type Query = (text: string, values: unknown[]) => Promise<unknown>;

const well: Sample = {
  path: { over: 'udp', relayed: false },
  roundTripMs: 32,
  sending: {
    kbps: 880,
    availableKbps: 2_400,
    lossPercent: 0,
    jitterMs: 4,
    layers: 3,
    height: 720,
    fps: 30,
    limitedBy: 'none',
  },
  receiving: {
    kbps: 910,
    lossPercent: 0,
    jitterMs: 5,
    height: 720,
    fps: 30,
    freezes: 0,
    frozenMs: 0,
    concealedPercent: 0,
  },
  scores: { sending: 10, receiving: 10 },
  server: { load: 0.2, cpu: 0.31 },
};

/** What a participant reports whose network is bad, `step` reports after it became so. */
const lossy = (step: number): Sample => ({
  ...well,
  path: { over: 'tcp', relayed: true },
  roundTripMs: 480 + 30 * (step % 3),
  sending: { ...well.sending!, kbps: 210, lossPercent: 9, layers: 1, height: 180, limitedBy: 'bandwidth' },
  receiving: { ...well.receiving!, kbps: 240, lossPercent: 14, height: 360, freezes: 3, frozenMs: 2_400 },
  scores: { sending: 4, receiving: 3 },
});

/** How the calls of a test went: three minutes in the past, in which the network of the second party is bad for one minute. */
export const badMinute = {
  startedAt: new Date('2026-03-02T14:00:00.000Z'),
  reports: 18,
  badFrom: 6,
  badTo: 12,
};

/**
 * Writes into the database what the devices in a call or room have reported, as if they had done so.
 * @param query runs a statement
 * @param subject the id of the call or room
 * @param parties those who were there. The network of the second one was bad for a minute, and its device was away for a moment
 */
export async function keepQuality(query: Query, subject: string, parties: string[]): Promise<void> {
  const { startedAt, reports, badFrom, badTo } = badMinute;
  const at = (seconds: number) => new Date(startedAt.getTime() + seconds * 1_000);
  const rows = parties.flatMap((party, who) => {
    const events = [
      { at: at(who), kind: 'joined' as const },
      ...(who === 1
        ? [
            { at: at(150), kind: 'connection_lost' as const },
            { at: at(156), kind: 'connection_back' as const },
          ]
        : []),
      { at: at(reports * 10 + 5), kind: 'left' as const },
    ];
    const samples = Array.from({ length: reports }, (_, step) => ({
      at: at((step + 1) * 10 + who),
      kind: 'sample' as const,
      sample: who === 1 && step >= badFrom && step < badTo ? lossy(step) : well,
    }));
    return [...events.map((event) => ({ ...event, sample: null })), ...samples].map((row) => ({
      ...row,
      party,
    }));
  });
  await query(
    `INSERT INTO quality_log (subject, at, party, kind, sample)
     SELECT $1, at, party, kind, sample
     FROM jsonb_to_recordset($2::jsonb) AS row (at timestamptz, party text, kind text, sample jsonb)`,
    [subject, JSON.stringify(rows)],
  );
}
