import { z } from 'zod';
import { evmAddress } from './common.ts';
import { maxGateDepth, maxGateLeaves, maxGateTokenIds } from './limits.ts';

/*
 * Gates: conditions on chain data that a wallet must meet to enter. Amounts are decimal strings in base units. Chains are those the
 * server supports on the session's network.
 */

const maxUint256 = 2n ** 256n - 1n;

const uint = z
  .string()
  .regex(/^(0|[1-9]\d{0,77})$/, {
    error: 'must be a whole number in decimal digits, as a string',
    abort: true,
  })
  .refine((text) => BigInt(text) <= maxUint256, { error: 'must be at most 2^256 - 1' })
  .meta({ examples: ['7'] });
const amount = uint.refine((text) => text !== '0', {
  error: 'must be at least 1, because every wallet meets 0',
});
const chainId = z.int().positive();

const kind = <Type extends string>(type: Type) => z.literal(type).describe('The type of the condition.');
const onChain = chainId.describe('The id of the chain, such as 1 for Ethereum.');
const contractAddress = evmAddress.describe('The address of the contract.');

const nft = z
  .strictObject({
    type: kind('nft'),
    chainId: onChain,
    contractAddress,
    standard: z.enum(['erc721', 'erc1155']).describe('The standard of the contract.'),
    tokenIds: z
      .array(uint)
      .min(1)
      .max(50)
      .optional()
      .describe(
        'The tokens that are accepted, 1 to 50. If left out (ERC-721 only), any token of the contract is accepted.',
      ),
    minBalance: amount.default('1').describe("How many of these tokens the wallet must own. Default: '1'."),
  })
  .refine(({ standard, tokenIds }) => standard === 'erc721' || tokenIds !== undefined, {
    error: 'is required for erc1155, which has one balance per token id',
    path: ['tokenIds'],
  })
  .refine(({ tokenIds = [] }) => new Set(tokenIds).size === tokenIds.length, {
    error: 'must not contain a token id twice',
    path: ['tokenIds'],
  });

const token = z.strictObject({
  type: kind('token'),
  chainId: onChain,
  contractAddress: evmAddress.nullable().describe('The token’s contract; null for the chain’s native coin.'),
  minBalance: amount.describe('In base units: 1 of a token with 18 decimals is "1000000000000000000".'),
  decimals: z
    .int()
    .min(0)
    .max(77)
    .optional()
    .describe('The token’s decimals, 0 to 77, only for displaying the amount.'),
});

const dao = z.strictObject({
  type: kind('dao'),
  chainId: onChain,
  contractAddress,
  method: z.enum(['votes', 'governor', 'member']).describe('How the contract is asked.'),
  minVotes: amount.default('1').describe("How many votes the wallet must have, in base units. Default: '1'."),
});

export type GateLeaf = z.output<typeof nft> | z.output<typeof token> | z.output<typeof dao>;
export type GateOperator = 'and' | 'or';
export interface GateMulti {
  type: 'multi';
  operator: GateOperator;
  conditions: GateConfig[];
}
export type GateConfig = GateLeaf | GateMulti;

type LeafInput = z.input<typeof nft> | z.input<typeof token> | z.input<typeof dao>;
/** A gate as the app writes it: fields with defaults may be left out. */
export type GateConfigInput =
  | LeafInput
  | { type: 'multi'; operator: GateOperator; conditions: GateConfigInput[] };

const tooDeep = z.strictObject({ type: kind('multi') }).refine(() => false, {
  error: `multi conditions must not be nested more than ${maxGateDepth} levels deep`,
});

/** Builds one schema per depth. A single recursive schema would follow nesting of any depth that a client sends. */
function conditionOf(depth: number): z.ZodType {
  if (depth === 0) return z.discriminatedUnion('type', [nft, token, dao, tooDeep]);
  const multi = z.strictObject({
    type: kind('multi'),
    operator: z.enum(['and', 'or']).describe('Whether all conditions must be met, or one.'),
    conditions: z
      .array(conditionOf(depth - 1))
      .min(1)
      .max(10)
      .describe('The conditions, 1 to 10.'),
  });
  return z.discriminatedUnion('type', [nft, token, dao, multi]);
}

export const gateConfig = conditionOf(maxGateDepth)
  .transform((gate) => gate as GateConfig)
  .refine((gate) => leavesOf(gate).length <= maxGateLeaves, {
    error: `must have at most ${maxGateLeaves} conditions in total`,
    abort: true,
  })
  .refine((gate) => tokenIdsOf(gate) <= maxGateTokenIds, {
    error: `must have at most ${maxGateTokenIds} token ids in total`,
  }) as unknown as z.ZodType<GateConfig, GateConfigInput>;

/** All conditions that are read from a chain, in order. */
export function leavesOf(gate: GateConfig): GateLeaf[] {
  return gate.type === 'multi' ? gate.conditions.flatMap(leavesOf) : [gate];
}

const tokenIdsOf = (gate: GateConfig) =>
  leavesOf(gate).reduce((sum, leaf) => sum + (leaf.type === 'nft' ? (leaf.tokenIds?.length ?? 0) : 0), 0);

export const gateType = z.enum(['nft', 'token', 'dao', 'multi']);
/** The kind of condition of a gate: a token of a collection, a balance, a vote or membership, or several conditions. */
export type GateType = z.infer<typeof gateType>;

/** Whether a wallet meets a gate. The reason and the requirements are texts for people. */
export const accessResult = z.object({
  allowed: z.boolean(),
  reason: z.string().nullable(),
  requirementsMet: z.array(z.string()),
  missingRequirements: z.array(z.string()),
});
export type WireAccessResult = z.infer<typeof accessResult>;

/** An interface that a contract supports. It determines the kinds of conditions the contract can be used in. */
const contractKind = z.enum(['erc721', 'erc1155', 'erc20', 'votes', 'governor', 'member']);
export type ContractKind = z.infer<typeof contractKind>;

/** What a contract reports about itself. */
export const contract = z.object({
  name: z.string().nullable(),
  symbol: z.string().nullable(),
  decimals: z.number().nullable(),
  kinds: z.array(contractKind),
});
export type WireContract = z.infer<typeof contract>;

/** A chain that gates may use. */
/** A contract with which gates can be tried: `gatedRooms.getExample` gives the wallet something of it. */
const gateExample = z.object({
  name: z.string(),
  type: z.enum(['nft', 'token']),
  contractAddress: evmAddress,
});
export type WireGateExample = z.infer<typeof gateExample>;

export const gateChain = z.object({
  chainId,
  name: z.string(),
  /** The symbol of the native coin, which has 18 decimals. */
  coin: z.string(),
  /** Contracts with which gates can be tried. Only servers that were started with `--demo-chain` have some. */
  examples: z.array(gateExample).optional(),
});
export type WireGateChain = z.infer<typeof gateChain>;

export const inspectRequest = z.strictObject({ chainId, contractAddress: evmAddress });
