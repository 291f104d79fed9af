import { expect, test } from 'vitest';
import { compare, isMet, isNearGoal, ofRounds, ofSamples, ofValue } from './Figure.ts';
import { markdown } from './markdown.ts';
import type { Section } from './Report.ts';

const section = (figures: Section['figures'], error?: string): Section => ({
  name: 'messages',
  title: 'Messages: sent, stored',
  about: 'About.',
  measuredAt: '2026-11-26T10:00:00.000Z',
  commit: '0123abcd',
  machine: { processor: 'CPU', cores: 2, memoryGb: 24, system: 'Linux 6', node: 'v20.20.0' },
  loadBefore: 0.25,
  seconds: 12,
  figures,
  ...(error && { error }),
});

test('The ratio is taken round by round, and its median is the figure', () => {
  const figure = ofRounds({
    what: 'rate',
    unit: '/s',
    ours: [100, 50, 90],
    baseline: { name: 'bare', values: [200, 50, 100] },
    goal: { of: 'ratio', atLeast: 0.9 },
  });
  expect(figure.ratio).toEqual({ value: 0.9, from: 0.5, to: 1, rounds: [0.5, 1, 0.9] });
  expect(figure.ours).toEqual({ value: 90, from: 50, to: 100, rounds: [100, 50, 90] });
  expect(isMet(figure)).toBe(true);
});

test('The median of an even number of rounds is between the two in the middle', () => {
  expect(ofRounds({ what: 'rate', unit: '/s', ours: [4, 1, 3, 10] }).ours.value).toBe(3.5);
});

test('A goal is near when some rounds meet it and others do not', () => {
  const rate = (ours: number[]) =>
    isNearGoal(ofRounds({ what: 'rate', unit: '/s', ours, goal: { of: 'value', atLeast: 10 } }));
  expect(rate([9, 11])).toBe(true);
  expect(rate([8, 9])).toBe(false);
  expect(rate([10, 12])).toBe(false);
  expect(isNearGoal(ofValue('rate', '/s', 9))).toBe(false);
});

test('A goal is not met by a value beyond it, nor by one that could not be measured', () => {
  expect(isMet(ofValue('lost', '', 1, { atMost: 0 }))).toBe(false);
  expect(isMet(ofValue('lost', '', NaN, { atMost: 0 }))).toBe(false);
  expect(isMet(ofValue('lost', '', 0, { atMost: 0 }))).toBe(true);
  expect(isMet(ofValue('lost', '', 5))).toBeNull();
  const [p50, p95] = ofSamples({ what: 'join', unit: 'ms', samples: [], goals: { p50: 1 } });
  expect(p50 && isMet(p50)).toBe(false);
  expect(p95 && isMet(p95)).toBeNull();
});

test('The page names missed goals, links their sections, and compares with the last report', () => {
  const last = [ofValue('rate', '/s', 11_337)];
  const { machine } = section(last);
  const before = {
    measuredAt: '2026-11-25T10:00:00.000Z',
    commit: '89ef',
    machine: { ...machine, processor: 'Old CPU' },
  };
  const figures = compare(
    [ofValue('rate', '/s', 11_999.6, { atLeast: 12_000 }), ofValue('p99', 'ms', 0.25)],
    last,
  );
  const page = markdown(
    { sections: [{ ...section(figures), before }] },
    {
      messages: { profile: 'Writing.' },
      storm: {},
    },
  );
  expect(page).toContain('0 of 1 goals are met. These are open:');
  expect(page).toContain(
    '- [Messages: sent, stored](#messages-sent-stored): rate, 12,000/s (goal: at least 12,000/s)',
  );
  expect(page).toContain('| rate | 12,000/s | at least 12,000/s: **not met** | 1 | 11,337/s |');
  expect(page).toContain('All figures are of one run on 2026-11-26, commit 0123abcd: CPU, 2 cores,');
  expect(page).toContain('Before: 2026-11-25, commit 89ef: Old CPU, 2 cores,');
  expect(page).toContain('Not measured yet: storm.');
  expect(page).toContain('**Where the time goes:** Writing.');
  expect(page).toContain('| p99 | 0.25 ms |  | 1 |  |');
});

test('A benchmark that failed is named with its error', () => {
  const page = markdown({ sections: [section([], 'no server')] }, { messages: {} });
  expect(page).toContain('- [Messages: sent, stored](#messages-sent-stored) could not be measured');
  expect(page).toContain('**The benchmark failed:** no server');
});
