import { z } from 'zod';
import { id, isoDate, plainText, walletAddress } from './common.ts';
import { credits, pageOf, paging } from './http.ts';

/* What the operator of the server sees and does (`/operator/…`). */

const share = z.number().min(0);

export const operatorNode = z.object({
  id: id('node').describe('The id of the node in its present life.'),
  address: z.string().nullable().describe('Its address for other nodes; null for a single node.'),
  roles: z.array(z.enum(['api', 'signaling', 'media'])).describe('Its roles.'),
  release: z.string().nullable().describe('The release that it runs; null if it does not tell.'),
  load: share.describe('Its media load, 0 to 1: the fullest of its workers and its network.'),
  cpu: share.describe('The share of its cores in use, 0 to 1. Only of nodes with media.'),
  rooms: z
    .int()
    .nullable()
    .describe('The calls, rooms and streams whose media it holds; null for a single node.'),
  isDraining: z.boolean().describe('Whether it is draining: it takes no new rooms, and hands over its own.'),
  startedAt: isoDate.describe('When its present life began.'),
  seenAt: isoDate.describe('Its last heartbeat.'),
});
export type WireOperatorNode = z.infer<typeof operatorNode>;

export const operatorOverview = z.object({
  nodes: z.array(operatorNode).describe('The living nodes, the oldest first.'),
  now: z
    .object({
      ringing: z.int().describe('Calls that ring.'),
      calls: z.int().describe('Calls in progress.'),
      rooms: z.int().describe('Open rooms.'),
      people: z.int().describe('Participants in rooms.'),
      streams: z.int().describe('Live streams.'),
      viewers: z.int().describe('The viewers of all streams, by SDK, WHEP and HLS together.'),
    })
    .describe('What is going on in the whole cluster.'),
});
export type WireOperatorOverview = z.infer<typeof operatorOverview>;

export const nodePath = z.strictObject({ id: id('node') });
export const changeNode = z.strictObject({
  isDraining: z
    .boolean()
    .describe('true drains the node; false lets it serve again, unless it is about to stop.'),
});

export const operatorError = z.object({
  id: z.string().describe('Its number.'),
  at: isoDate.describe('When it was logged.'),
  nodeId: z.string().describe('The node that logged it.'),
  level: z.enum(['warn', 'error', 'fatal']).describe('How bad it is.'),
  message: z.string().describe('What was logged.'),
  requestId: z
    .string()
    .nullable()
    .describe('The request that failed, as its error names it; null without one.'),
  error: z.string().nullable().describe('The kind and message of the error; null without one.'),
});
export type WireOperatorError = z.infer<typeof operatorError>;
export const operatorErrors = pageOf(operatorError);
export const operatorErrorsQuery = z.strictObject({
  requestId: plainText.max(64).optional().describe('Return only what was logged about this request.'),
  ...paging,
});

export const operatorAccount = z.object({
  id: id('acc'),
  walletAddress: z.string().nullable().describe('Its wallet; null if it has none.'),
  email: z.string().nullable().describe('The email address of its linked identity; null if it has none.'),
  credits: credits.describe('Its balance.'),
  reserved: credits.describe('Credits reserved for running requests.'),
  createdAt: isoDate.describe('When it was created.'),
  blockedAt: isoDate.nullable().describe('When an operator blocked it; null if it is not blocked.'),
  blockedFor: z.string().nullable().describe('Why it was blocked; null if it is not blocked.'),
});
export type WireOperatorAccount = z.infer<typeof operatorAccount>;
export const operatorAccounts = pageOf(operatorAccount);
export const operatorAccountsQuery = z.strictObject({
  find: z
    .union([walletAddress, id('acc'), z.email().max(254)])
    .optional()
    .describe('Return only the account with this wallet, id or email address.'),
  blocked: z
    .enum(['true', 'false'])
    .optional()
    .describe('Return only accounts that are blocked (true) or not blocked (false).'),
  ...paging,
});
export const accountPath = z.strictObject({ id: id('acc') });
const reason = plainText.min(1).max(200);
export const grantCredits = z.strictObject({
  credits: z.int().min(1).max(999_999_999).describe('The credits to grant.'),
  reason: reason.describe('Why. The account sees it in its history.'),
});
export const blockAccount = z.strictObject({
  reason: reason.describe('Why. Operators see it, and nobody else.'),
});
export const qualityPath = z.strictObject({
  id: z.union([id('call'), id('room')]).describe('The id of a call or room.'),
});
