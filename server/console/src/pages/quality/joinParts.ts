import type { KeptQuality } from '@parley/sdk';

export type Finding = KeptQuality['findings'][number];
export type QualityEvent = KeptQuality['events'][number];
export type Sample = KeptQuality['participants'][number]['samples'][number];

export interface Participant {
  walletAddress: string;
  /** Its reports, oldest first. Empty if it was there but has not reported anything. */
  samples: Sample[];
  events: QualityEvent[];
  /** What concerns it, or everybody. */
  findings: NumberedFinding[];
}

/** A finding with its number, which names it in charts as well. */
export type NumberedFinding = Finding & { number: number };

export interface WholeQuality {
  findings: NumberedFinding[];
  /** Those whose own network or device was bad come first. */
  participants: Participant[];
  /** The time that the charts show; null if nothing was measured and nothing happened. */
  period: Period | null;
}

export interface Period {
  from: Date;
  to: Date;
}

/** A sample covers this time before it. */
export const sampleMs = 10_000;
/** Findings of the same kind with a shorter gap than this between two parts are one. */
const gapMs = 15_000;

/** Joins the parts in which the server has told the quality of a call or room. */
export function joinParts(parts: Pick<KeptQuality, 'participants' | 'events' | 'findings'>[]): WholeQuality {
  const findings = joinFindings(parts.flatMap((part) => part.findings));
  const events = parts.flatMap((part) => part.events);
  const reported = parts.flatMap((part) => part.participants);
  const present = new Set([...reported, ...events].map(({ walletAddress }) => walletAddress));
  const isOf = (party: string) => (one: { walletAddress: string | null }) => one.walletAddress === party;
  const participants = [...present].map((walletAddress) => ({
    walletAddress,
    samples: reported.filter(isOf(walletAddress)).flatMap(({ samples }) => samples),
    events: events.filter(isOf(walletAddress)),
    findings: findings.filter((one) => one.walletAddress === null || isOf(walletAddress)(one)),
  }));
  const isConcerned = ({ walletAddress }: Participant) => findings.some(isOf(walletAddress));
  return {
    findings,
    participants: participants.sort((one, other) => Number(isConcerned(other)) - Number(isConcerned(one))),
    period: periodOf(participants, findings),
  };
}

function joinFindings(all: Finding[]): NumberedFinding[] {
  const joined: Finding[] = [];
  for (const next of all) {
    const before = joined.findLast(
      ({ cause, walletAddress }) => cause === next.cause && walletAddress === next.walletAddress,
    );
    if (before && next.from.getTime() - before.to.getTime() <= gapMs)
      before.to = new Date(Math.max(before.to.getTime(), next.to.getTime()));
    else joined.push({ ...next });
  }
  return joined.map((finding, index) => ({ ...finding, number: index + 1 }));
}

function periodOf(participants: Participant[], findings: Finding[]): Period | null {
  let [from, to] = [Infinity, -Infinity];
  const include = (at: Date, before = 0) => {
    from = Math.min(from, at.getTime() - before);
    to = Math.max(to, at.getTime());
  };
  for (const { samples, events } of participants) {
    for (const { at } of samples) include(at, sampleMs);
    for (const { at } of events) include(at);
  }
  for (const finding of findings) [finding.from, finding.to].forEach((at) => include(at));
  return from <= to ? { from: new Date(from), to: new Date(Math.max(to, from + 1_000)) } : null;
}
