import type { IsoDate } from '../../sdk/protocol/common.ts';
import type { PartyId } from '../../sdk/protocol/party.ts';
import type {
  QualityCause,
  WireFinding,
  WireQuality,
  WireQualitySample,
} from '../../sdk/protocol/quality.ts';

type Participants = WireQuality['participants'];
type Events = WireQuality['events'];

/** A period in which something was wrong. Times are milliseconds since 1970. */
interface Spell {
  cause: QualityCause;
  walletAddress: PartyId | null;
  from: number;
  to: number;
}

/** A report covers about this time before it. */
const periodMs = 10_000;
/** Two spells of the same cause with a shorter gap than this are one. */
const gapMs = 15_000;
/** Devices that lose their media at about the same time have lost it together. */
const togetherMs = 5_000;
/** From this share on, a machine has no time left for bursts. */
const full = 0.9;
const bad = { lossPercent: 5, roundTripMs: 400, jitterMs: 100, score: 5 };
const slow = { freezes: 1, lossPercent: 1 };

/**
 * Finds out why the media of a call or room was bad, from the reports of its devices and what happened meanwhile. A full machine and a death
 * explain what several participants notice; the network of a participant is to blame only if others were well at the same time.
 */
export function findCauses(participants: Participants, events: Events): WireFinding[] {
  const spells = [...deaths(events), ...lostConnections(events), ...badPeriods(participants)];
  return join(spells)
    .sort((one, other) => one.from - other.from)
    .map(toFinding);
}

/** From the death of a worker or node until the last device that it interrupted has joined again. */
function deaths(events: Events): Spell[] {
  const spells: Spell[] = [];
  for (const { kind, at, walletAddress } of events) {
    if (kind !== 'node_died' && kind !== 'worker_died') continue;
    const from = Date.parse(at);
    const back = events.find(
      (event) =>
        event.kind === 'joined' && event.walletAddress === walletAddress && Date.parse(event.at) >= from,
    );
    const to = back ? Date.parse(back.at) : from;
    const same = spells.find((spell) => spell.cause === kind && from - spell.from < togetherMs);
    if (same) same.to = Math.max(same.to, to);
    else spells.push({ cause: kind, walletAddress: null, from, to });
  }
  return spells;
}

function lostConnections(events: Events): Spell[] {
  return events
    .filter(({ kind }) => kind === 'connection_lost')
    .map(({ at, walletAddress }) => {
      const from = Date.parse(at);
      const ends = ['connection_back', 'joined', 'left'];
      const end = events.find(
        (event) =>
          event.walletAddress === walletAddress && ends.includes(event.kind) && Date.parse(event.at) > from,
      );
      return { cause: 'connection_lost', walletAddress, from, to: end ? Date.parse(end.at) : from };
    });
}

/** The bad periods of all participants, each with what explains it best. */
function badPeriods(participants: Participants): Spell[] {
  const reports = participants.flatMap(({ walletAddress, samples }) =>
    samples.map((sample) => {
      const at = Date.parse(sample.at);
      return { walletAddress, at, illness: illnessOf(sample), isFull: isFull(sample) };
    }),
  );
  const ofPeriod = new Map<number, typeof reports>();
  for (const report of reports) {
    const period = periodOf(report.at);
    const known = ofPeriod.get(period);
    if (known) known.push(report);
    else ofPeriod.set(period, [report]);
  }
  // Once for each period, and not for each report: a large room has thousands of reports in one.
  const around = new Map<number, { participants: number; areAllIll: boolean }>();
  for (const period of ofPeriod.keys()) {
    // Devices do not report at the same moment, so the periods beside this one count as well.
    const near = [-1, 0, 1].flatMap((step) => ofPeriod.get(period + step) ?? []);
    const { size: participants } = new Set(near.map(({ walletAddress }) => walletAddress));
    const ill = new Set(near.filter(({ illness }) => illness).map(({ walletAddress }) => walletAddress));
    around.set(period, { participants, areAllIll: ill.size === participants });
  }
  return reports.flatMap(({ walletAddress, at, illness, isFull }): Spell[] => {
    if (!illness) return [];
    const spell = { from: at - periodMs, to: at };
    const { participants = 1, areAllIll = true } = around.get(periodOf(at)) ?? {};
    if (isFull && areAllIll) return [{ ...spell, cause: 'machine_full', walletAddress: null }];
    // Of two participants it is not known whose way to the server is bad, if both have noticed it.
    if (illness === 'network' && areAllIll && participants >= 3)
      return [{ ...spell, cause: 'server_network', walletAddress: null }];
    return [{ ...spell, cause: `participant_${illness}`, walletAddress }];
  });
}

const periodOf = (at: number) => Math.floor(at / periodMs);

const isFull = ({ server }: WireQualitySample) =>
  server !== null && Math.max(server.load, server.cpu) >= full;

/** What is wrong with a participant, as far as its own report shows; null if nothing is. */
function illnessOf({
  roundTripMs,
  sending,
  receiving,
  scores,
}: WireQualitySample): 'network' | 'device' | null {
  const directions = [sending, receiving].filter((one) => one !== null);
  const isLossy = directions.some(({ lossPercent, jitterMs }) => {
    return (lossPercent ?? 0) > bad.lossPercent || (jitterMs ?? 0) > bad.jitterMs;
  });
  const isLow = [scores.sending, scores.receiving].some((score) => score !== null && score <= bad.score);
  if (isLossy || isLow || (roundTripMs ?? 0) > bad.roundTripMs || sending?.limitedBy === 'bandwidth')
    return 'network';
  const isFreezing =
    (receiving?.freezes ?? 0) >= slow.freezes && (receiving?.lossPercent ?? 0) < slow.lossPercent;
  return isFreezing || sending?.limitedBy === 'cpu' ? 'device' : null;
}

/** Joins spells of the same cause and participant that follow each other. */
function join(spells: Spell[]): Spell[] {
  const joined: Spell[] = [];
  /** By cause and participant. */
  const latest = new Map<string, Spell>();
  for (const spell of [...spells].sort((one, other) => one.from - other.from)) {
    const key = `${spell.cause} ${spell.walletAddress}`;
    const before = latest.get(key);
    if (before && spell.from - before.to <= gapMs) before.to = Math.max(before.to, spell.to);
    else {
      const begun = { ...spell };
      joined.push(begun);
      latest.set(key, begun);
    }
  }
  return joined;
}

const messages: Record<QualityCause, string> = {
  node_died: 'A node of the server died. The media continued on another node.',
  worker_died: 'A media worker of the server died. The media continued on another worker.',
  machine_full: 'The machine of the server was full. It needs more or faster cores, or fewer rooms.',
  server_network: 'All participants had a bad connection at the same time: check the network of the server.',
  participant_network:
    'The network of this participant was bad: packets were late or lost, or bandwidth was missing.',
  participant_device: 'The device of this participant was too slow for the video.',
  connection_lost: 'The device of this participant lost its connection to the server.',
};

const toFinding = ({ cause, walletAddress, from, to }: Spell): WireFinding => ({
  cause,
  walletAddress,
  from: new Date(from).toISOString() as IsoDate,
  to: new Date(to).toISOString() as IsoDate,
  message: messages[cause],
});
