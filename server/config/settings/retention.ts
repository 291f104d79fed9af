import { z } from 'zod';
import { number } from '../settingKinds.ts';
import { setting } from './setting.ts';

const days = number.pipe(z.int().min(0).max(36_500));

/** How many days data is kept. 0 keeps it until a person deletes it. */
export const retentionSettings = {
  KEEP_MESSAGES_DAYS: setting(
    days,
    'days direct and group messages and their files are kept; 0 for ever',
    '0',
  ),
  KEEP_CALLS_DAYS: setting(days, 'days the history of calls is kept after their end; 0 for ever', '0'),
  KEEP_ROOMS_DAYS: setting(
    days,
    'days a room, its chat and its history are kept after its end; 0 for ever',
    '0',
  ),
  KEEP_STREAMS_DAYS: setting(days, 'days a stream is kept after its end, without its chat; 0 for ever', '0'),
  KEEP_RECORDINGS_DAYS: setting(days, 'days a recording is kept after its end; 0 for ever', '0'),
  KEEP_VOICEMAILS_DAYS: setting(days, 'days a voicemail is kept; 0 for ever', '0'),
  KEEP_TEXTS_DAYS: setting(days, 'days texts (SMS) and their threads are kept; 0 for ever', '0'),
  KEEP_QUALITY_DAYS: setting(days, 'days the quality of calls and rooms is kept; 0 for ever', '0'),
  KEEP_AUDIT_DAYS: setting(
    days,
    'days the audit log, the usage and ended API keys are kept; 0 for ever',
    '0',
  ),
  KEEP_ORDERS_DAYS: setting(
    days,
    'days orders of numbers and eSIMs and released numbers are kept; 0 for ever',
    '0',
  ),
  KEEP_PAYMENTS_DAYS: setting(
    days,
    'days settled payments are kept, except those refunded or disputed at Stripe; 0 for ever',
    '0',
  ),
  KEEP_LEDGER_DAYS: setting(
    days.refine((value) => value === 0 || value >= 90, { error: 'use 0, or at least 90 days' }),
    'days after which debits and refunds of an account are summed up into one entry, at least 90; 0 keeps each entry for ever',
    '0',
  ),
  KEEP_WEBHOOK_LOG_DAYS: setting(
    days.pipe(z.int().min(1)),
    'days webhook events and settled deliveries are kept',
    '30',
  ),
  KEEP_SETTLED_DAYS: setting(
    days.pipe(z.int().min(30)),
    'days rows that belong to no user are kept: settled reservations, expired exports, counts of searches (at least 32 days), texts with codes; at least 30',
    '90',
  ),
  KEEP_UNUSED_FILES_DAYS: setting(
    days.pipe(z.int().min(1)),
    'days a file is kept that no message, voicemail, recording or profile refers to',
    '7',
  ),
  EXPORT_DAYS: setting(
    days.pipe(z.int().min(1).max(30)),
    'days the archive of an export is kept, at most 30',
    '3',
  ),
  ERASURE_DAYS: setting(
    days.pipe(z.int().max(30)),
    'days in which the deletion of an account can be undone, at most 30; 0 deletes it immediately',
    '7',
  ),
  ERASURE_CLEANING_HOUR: setting(
    z.union([z.literal('off'), number.pipe(z.int().min(0).max(23))], {
      error: 'use an hour from 0 to 23, or off',
    }),
    'hour (UTC) in which tables are rewritten after accounts were erased, so that nothing of them is left on the disk; off if the operator does it',
    '3',
  ),
};
