import type { z } from 'zod';
import type { sendMessage } from '../../sdk/protocol/messaging.ts';
import type { buyForeignNumber, buyNumber, buyUsNumber, renewNumber } from '../../sdk/protocol/numbers.ts';
import { segmentsOf } from '../sms/segments.ts';
import type { Price } from './Route.ts';

/* What things cost, in credits of a cent. */

interface Text {
  message: string;
}

export const textPrice: Price<Text> = {
  service: 'sms',
  credits: 2,
  unit: 'segment',
  units: ({ message }) => segmentsOf(message).segments,
};

/** A text with pictures is one MMS, which costs as much as three segments, whatever its length. */
export const messagePrice: Price<z.output<typeof sendMessage>> = {
  ...textPrice,
  units: ({ message, mediaUrls }) => (mediaUrls?.length ? 3 : segmentsOf(message).segments),
};

const months = { local: 1, mobile: 2, toll_free: 2 };

type NumberOrder =
  z.output<typeof buyNumber> | z.output<typeof buyUsNumber> | z.output<typeof buyForeignNumber>;

/** By the month; a mobile or toll-free number costs as much as two local ones. */
export const numberPrice: Price<NumberOrder> = {
  service: 'numbers',
  credits: 200,
  unit: 'month of a local number',
  units: ({ type = 'local' }) => months[type],
};

export const renewalPrice: Price<z.output<typeof renewNumber>> = {
  service: 'numbers',
  credits: 200,
  unit: 'month',
  units: (body) => body.months ?? 1,
};

export const lookupPrice: Price<unknown> = { service: 'lookup', credits: 1, unit: 'lookup' };
export const leakSearchPrice: Price<unknown> = { service: 'leaksearch', credits: 10, unit: 'search' };
/** What one costs is for the catalogue to say; a dry run costs nothing. */
export const esimPrice: Price<{ quantity: number; dryRun: boolean }> = {
  service: 'esim',
  credits: 100,
  unit: 'eSIM',
  units: ({ quantity, dryRun }) => (dryRun ? 0 : quantity),
};
export const verificationPrice: Price<unknown> = { service: 'verifications', credits: 5, unit: 'code' };
export const xmppPrice: Price<unknown> = { service: 'xmpp', credits: 100, unit: 'account' };
