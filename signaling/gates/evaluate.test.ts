import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { leavesOf, type GateConfig, type GateLeaf } from '../../sdk/protocol/gates.ts';
import { AnswerCache } from './AnswerCache.ts';
import { describeLeaf } from './describeLeaf.ts';
import { evaluate } from './evaluate.ts';

const contractAddress = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
let chainId = 1;
/** Each leaf is on a different chain, so that its description is unique. */
const leaf = (): GateLeaf => ({ type: 'token', chainId: chainId++, contractAddress, minBalance: '1' });

const { gate: anyGate } = fc.letrec<{ gate: GateConfig }>((tie) => ({
  gate: fc.oneof(
    { maxDepth: 3 },
    fc.constant(null).map(leaf),
    fc.record({
      type: fc.constant('multi' as const),
      operator: fc.constantFrom('and' as const, 'or' as const),
      conditions: fc.array(tie('gate'), { minLength: 1, maxLength: 4 }),
    }),
  ),
}));
const gateAndReadings = anyGate.chain((gate) => {
  const leaves = leavesOf(gate);
  return fc
    .array(fc.boolean(), { minLength: leaves.length, maxLength: leaves.length })
    .map((holds) => ({ gate, readings: new Map(leaves.map((one, at) => [one, holds[at] === true])) }));
});

const holds = (gate: GateConfig, readings: Map<GateLeaf, boolean>): boolean => {
  if (gate.type !== 'multi') return readings.get(gate) === true;
  const all = gate.conditions.map((condition) => holds(condition, readings));
  return gate.operator === 'and' ? !all.includes(false) : all.includes(true);
};

describe('evaluation of a gate', () => {
  it('follows and/or, separates met from missing conditions, and admits when nothing is missing', () => {
    fc.assert(
      fc.property(gateAndReadings, ({ gate, readings }) => {
        const access = evaluate(gate, readings);
        expect(access.allowed).toBe(holds(gate, readings));
        expect(access.allowed).toBe(access.missingRequirements.length === 0);
        expect(access.reason === null).toBe(access.allowed);
        const met = leavesOf(gate).filter((one) => readings.get(one));
        expect(access.requirementsMet).toEqual(met.map(describeLeaf));
        for (const text of access.missingRequirements) expect(access.requirementsMet).not.toContain(text);
      }),
    );
  });

  it('denies access through every gate when no condition was read', () => {
    fc.assert(
      fc.property(anyGate, (gate) => {
        expect(evaluate(gate, new Map()).allowed).toBe(false);
      }),
    );
  });

  it('still admits an admitted wallet when it meets one more condition', () => {
    fc.assert(
      fc.property(gateAndReadings, ({ gate, readings }) => {
        if (!evaluate(gate, readings).allowed) return;
        for (const one of leavesOf(gate))
          expect(evaluate(gate, new Map([...readings, [one, true]])).allowed).toBe(true);
      }),
    );
  });
});

describe('cached answers', () => {
  const answer = (allowed: boolean) => ({
    allowed,
    reason: null,
    requirementsMet: [],
    missingRequirements: [],
  });

  it('last 30 s when positive and 5 s when negative, and never include errors', async () => {
    let now = 0;
    let checks = 0;
    const cache = new AnswerCache(() => now);
    const ask = (allowed: boolean, key = 'key') =>
      cache.get(key, false, () => {
        checks++;
        // The check takes a second.
        now += 1_000;
        return Promise.resolve(answer(allowed));
      });
    await ask(true);
    now = 29_999;
    await ask(true);
    expect(checks).toBe(1);
    now = 30_000;
    await ask(false);
    expect(checks).toBe(2);
    now = 34_999;
    await ask(false);
    expect(checks).toBe(2);
    now = 35_000;
    await ask(true);
    expect(checks).toBe(3);
    const fails = () => cache.get('other', false, () => Promise.reject(new Error('unavailable')));
    await expect(fails()).rejects.toThrow('unavailable');
    await ask(true, 'other');
    expect(checks).toBe(4);
  });

  it('are not used for longer if the clock is set back', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const cache = new AnswerCache();
    let checks = 0;
    const ask = () =>
      cache.get('key', false, () => {
        checks++;
        return Promise.resolve(answer(true));
      });
    await ask();
    vi.setSystemTime(Date.now() - 3_600_000);
    vi.advanceTimersByTime(30_000);
    await ask();
    expect(checks).toBe(2);
  });
});
