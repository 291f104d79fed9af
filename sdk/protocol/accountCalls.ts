import { z } from 'zod';
import { callStatus } from './calls.ts';
import { plainText, walletAddress } from './common.ts';
import { pageOf, paging } from './http.ts';
import { eventCall } from './webhookData.ts';

/* The routes of calls, for backends. */

export const callPath = z.object({ id: plainText.max(64).describe('The id of the call.') });

/** A call of the account's wallet. */
export const accountCall = eventCall.extend({
  direction: z
    .enum(['incoming', 'outgoing'])
    .describe('Whether the wallet of your account was called or called.'),
  durationSeconds: z
    .number()
    .nullable()
    .describe('Seconds from the answer to the end; null until an answered call has ended.'),
  recordedBy: walletAddress.nullable().describe('The wallet that records the call; null if nobody does.'),
});

export const callsQuery = z.strictObject({
  status: callStatus
    .optional()
    .describe(
      'Only calls in this state: `ringing`, `active`, `ended`, `missed` or `declined`. Default: all.',
    ),
  ...paging,
});
export const accountCalls = pageOf(accountCall);
