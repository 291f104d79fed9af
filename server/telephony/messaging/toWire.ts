import type { z } from 'zod';
import { toIso } from '../../../sdk/protocol/common.ts';
import type { thread } from '../../../sdk/protocol/messaging.ts';
import type { message, sentMessage } from '../../../sdk/protocol/sms.ts';
import type { Charge } from '../../http/Route.ts';
import type { MessageRow, ThreadRow } from './tables.ts';

export type WireMessage = z.input<typeof message>;
export type WireThread = z.input<typeof thread>;

/** Converts a row to the message that routes and webhooks show. */
export function toMessage(row: MessageRow): WireMessage {
  const isOutbound = row.direction === 'outbound';
  return {
    id: row.id,
    threadId: row.threadId ?? '',
    direction: row.direction,
    from: isOutbound ? row.number : row.counterparty,
    to: isOutbound ? row.counterparty : row.number,
    message: row.text,
    media: row.media,
    status: row.status === 'submitting' ? 'sending' : row.status,
    segments: row.segments,
    encoding: row.encoding,
    credits: row.credits,
    errorCode: row.errorCode,
    errorMessage: row.errorMessage,
    createdAt: toIso(row.createdAt),
    sentAt: row.sentAt && toIso(row.sentAt),
    deliveredAt: row.deliveredAt && toIso(row.deliveredAt),
  };
}

/** The answer to a request that sends a message. */
export const toSentMessage = (row: MessageRow, charge: Charge | null): z.input<typeof sentMessage> => ({
  ...toMessage(row),
  balance: charge?.balance ?? null,
});

/** @param row the thread with its last message */
export function toThread(row: ThreadRow & { last: MessageRow }): WireThread {
  const { id, counterparty, number, last, messageCount, unreadCount, updatedAt } = row;
  return {
    id,
    counterparty,
    number,
    lastMessage: {
      id: last.id,
      direction: last.direction,
      message: last.text,
      createdAt: toIso(last.createdAt),
    },
    messageCount,
    unreadCount,
    updatedAt: toIso(updatedAt),
  };
}
