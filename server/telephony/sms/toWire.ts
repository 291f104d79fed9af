import type { z } from 'zod';
import { toIso } from '../../../sdk/protocol/common.ts';
import type { queuedSms } from '../../../sdk/protocol/sms.ts';
import type { Charge } from '../../http/Route.ts';
import type { MessageRow } from '../messaging/tables.ts';

export const toQueuedSms = (row: MessageRow, charge: Charge | null): z.input<typeof queuedSms> => ({
  id: row.id,
  status: 'queued',
  to: row.counterparty,
  from: row.number,
  segments: row.segments,
  encoding: row.encoding,
  credits: row.credits,
  balance: charge?.balance ?? null,
  createdAt: toIso(row.createdAt),
});
