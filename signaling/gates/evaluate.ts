import type { GateConfig, GateLeaf, WireAccessResult } from '../../sdk/protocol/gates.ts';
import { describeLeaf } from './describeLeaf.ts';

/** For each condition of a gate, whether the wallet meets it. */
export type Readings = ReadonlyMap<GateLeaf, boolean>;

interface Outcome {
  holds: boolean;
  met: string[];
  /** The unmet conditions that matter: if an `or` is met, none of its conditions is missing. */
  missing: string[];
}

/**
 * Evaluates a whole gate from the readings of its conditions.
 * @param ownChain the chain of a contract wallet, which cannot meet conditions on other chains; null for an ordinary wallet
 */
export function evaluate(
  gate: GateConfig,
  readings: Readings,
  ownChain: number | null = null,
): WireAccessResult {
  const { holds, met, missing } = outcomeOf(gate, readings, ownChain);
  const unique = (texts: string[]) => [...new Set(texts)];
  const missingRequirements = unique(missing);
  return {
    allowed: holds,
    reason: holds ? null : reasonFor(gate, missingRequirements),
    requirementsMet: unique(met),
    missingRequirements,
  };
}

function outcomeOf(gate: GateConfig, readings: Readings, ownChain: number | null): Outcome {
  if (gate.type !== 'multi') return outcomeOfLeaf(gate, readings, ownChain);
  const outcomes = gate.conditions.map((condition) => outcomeOf(condition, readings, ownChain));
  const holds =
    gate.operator === 'and'
      ? outcomes.every((outcome) => outcome.holds)
      : outcomes.some(({ holds }) => holds);
  return {
    holds,
    met: outcomes.flatMap(({ met }) => met),
    missing: holds ? [] : outcomes.flatMap(({ missing }) => missing),
  };
}

function outcomeOfLeaf(leaf: GateLeaf, readings: Readings, ownChain: number | null): Outcome {
  const isElsewhere = ownChain !== null && ownChain !== leaf.chainId;
  const text = isElsewhere
    ? `${describeLeaf(leaf)} (a contract wallet counts on its own chain only, which is ${ownChain})`
    : describeLeaf(leaf);
  // A condition that was not read is not met.
  const holds = readings.get(leaf) === true;
  return holds ? { holds, met: [text], missing: [] } : { holds, met: [], missing: [text] };
}

function reasonFor(gate: GateConfig, missing: string[]): string {
  if (missing.length === 1) return `This asks the wallet to ${missing[0]}.`;
  if (gate.type !== 'multi') return 'The wallet does not meet the condition.';
  return gate.operator === 'or' && gate.conditions.every(({ type }) => type !== 'multi')
    ? `The wallet meets none of the ${missing.length} conditions, of which one is enough.`
    : 'The wallet does not meet all conditions.';
}
