import type { KeptQuality } from '@parley/sdk';
import { expect, it } from 'vitest';
import { joinParts, type Sample } from './joinParts.ts';
import { measures, pathOf, rangeOf } from './measures.ts';

const at = (seconds: number) => new Date(Date.UTC(2026, 2, 2, 14, 0, seconds));

type Party = KeptQuality['participants'][number]['walletAddress'];
const [ann, bob] = ['0xa', '0xb'] as Party[] as [Party, Party];

const sample = (seconds: number, roundTripMs: number | null): Sample => ({
  at: at(seconds),
  path: null,
  roundTripMs,
  sending: null,
  receiving: null,
  scores: { sending: null, receiving: null },
  server: null,
});
const bad = (from: number, to: number, walletAddress: Party) => ({
  cause: 'participant_network' as const,
  walletAddress,
  from: at(from),
  to: at(to),
  message: 'The network of this participant was bad.',
});
const of = (walletAddress: Party, ...samples: Sample[]) => ({ walletAddress, samples });

it('joins what was told in two parts, and a finding that both of them have', () => {
  const whole = joinParts([
    {
      participants: [of(ann, sample(10, 30)), of(bob, sample(12, 30))],
      events: [{ at: at(1), kind: 'joined', walletAddress: bob }],
      findings: [bad(2, 12, bob)],
    },
    {
      participants: [of(bob, sample(22, 30)), of(ann, sample(20, 30))],
      events: [{ at: at(40), kind: 'left', walletAddress: ann }],
      findings: [bad(12, 22, bob), bad(80, 90, bob)],
    },
  ]);
  expect(whole.findings).toMatchObject([
    { number: 1, from: at(2), to: at(22) },
    { number: 2, from: at(80), to: at(90) },
  ]);
  // The participant with the bad network comes first.
  expect(whole.participants).toMatchObject([
    { walletAddress: bob, samples: [{ at: at(12) }, { at: at(22) }], events: [{ kind: 'joined' }] },
    {
      walletAddress: ann,
      samples: [{ at: at(10) }, { at: at(20) }],
      events: [{ kind: 'left' }],
      findings: [],
    },
  ]);
  expect(whole.period).toEqual({ from: at(0), to: at(90) });
});

it('shows what concerns everybody with every participant, also with those who have reported nothing', () => {
  const { participants } = joinParts([
    {
      participants: [of(ann, sample(10, 30))],
      events: [{ at: at(1), kind: 'joined', walletAddress: bob }],
      findings: [{ ...bad(2, 12, bob), cause: 'machine_full', walletAddress: null }],
    },
  ]);
  expect(participants.map((one) => [one.walletAddress, one.samples.length, one.findings.length])).toEqual([
    [ann, 1, 1],
    [bob, 0, 1],
  ]);
});

it('has no period without anything', () => {
  expect(joinParts([{ participants: [], events: [], findings: [] }]).period).toBeNull();
});

it('interrupts lines where reports or values are missing', () => {
  const [line] = measures[0]!.lines;
  const period = { from: at(0), to: at(100) };
  const samples = [sample(10, 0), sample(20, 50), sample(30, null), sample(40, 100), sample(90, 25)];
  expect(pathOf(line!, samples, period, 100)).toBe('M0 100L100 100L200 50M300 0L400 0M800 75L900 75');
});

it('says in which range the values are', () => {
  expect(rangeOf([null, 620, 30], 'ms')).toBe('30 to 620 ms');
  expect(rangeOf([10, 10], '')).toBe('10');
  expect(rangeOf([null], 'ms')).toBe('not measured');
});
