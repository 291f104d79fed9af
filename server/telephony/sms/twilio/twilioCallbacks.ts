import express, { Router, type RequestHandler } from 'express';
import type { Logger } from 'pino';
import twilio from 'twilio';
import { z } from 'zod';

import type { CarrierEvents, Receipt } from '../Carrier.ts';
import { wordFor } from './twilioError.ts';

interface CallbackDeps {
  authToken: string;
  /** The address Twilio was told, and signs. */
  publicUrl: string;
  log: Logger;
  /** null before the carrier was started. */
  events: () => CarrierEvents | null;
  /** A receipt says what Twilio calls a text of ours. */
  onReference: (submissionId: string, sid: string) => Promise<void>;
}

const sid = z.string().regex(/^[A-Z]{2}[0-9a-f]{32}$/);
const mostMedia = 10;
const inbound = z.looseObject({
  MessageSid: sid,
  From: z.string().min(1).max(64),
  To: z.string().min(1).max(64),
  Body: z.string().max(16_000).default(''),
  NumMedia: z.coerce.number().int().min(0).max(mostMedia).default(0),
});
const status = z.looseObject({
  MessageSid: sid,
  MessageStatus: z.string().max(32),
  ErrorCode: z.coerce.number().int().min(0).max(99_999).optional(),
});
const mediaUrl = z.url({ protocol: /^https$/ }).max(2_000);
const statusQuery = z.object({
  submission: z
    .string()
    .regex(/^msg_[0-9A-Za-z]{24}$/)
    .optional(),
});

/**
 * What Twilio calls: `/inbound` for texts that come in, `/status` for receipts. Both may be called twice, and in any order. Only
 * what is stored is answered well; Twilio calls again otherwise.
 */
export function twilioCallbacks(deps: CallbackDeps): RequestHandler {
  const form = express.urlencoded({ extended: false, limit: '64kb', parameterLimit: 200 });
  const router = Router();
  router.post('/inbound', form, isFromTwilio(deps), takeText(deps));
  router.post('/status', form, isFromTwilio(deps), takeStatus(deps));
  return router;
}

const isFromTwilio =
  ({ authToken, publicUrl, log }: CallbackDeps): RequestHandler =>
  (request, response, next) => {
    const signature = request.get('X-Twilio-Signature') ?? '';
    const url = publicUrl + request.originalUrl;
    const parameters = (request.body ?? {}) as Record<string, unknown>;
    if (signature !== '' && twilio.validateRequest(authToken, signature, url, parameters)) return next();
    log.warn({ requestId: request.id }, 'a callback was not signed by Twilio for this address');
    response.status(403).end();
  };

const takeText =
  ({ events, log }: CallbackDeps): RequestHandler =>
  async (request, response) => {
    const told = events();
    const parsed = inbound.safeParse(request.body);
    if (!parsed.success) return void response.status(400).end();
    const { MessageSid: reference, From: from, To: to, Body: text, NumMedia: count, ...more } = parsed.data;
    const mediaUrls = Array.from({ length: count }, (_, index) =>
      mediaUrl.safeParse(more[`MediaUrl${index}`]),
    );
    try {
      if (!told) throw new Error('not started');
      await told.inbound({
        ...{ reference, from, to, text },
        mediaUrls: mediaUrls.flatMap(({ data }) => data ?? []),
        receivedAt: new Date(),
      });
    } catch (err) {
      log.error({ err }, 'a text from Twilio could not be stored; Twilio is asked to try again');
      return void response.status(503).end();
    }
    // An empty answer: nothing is replied to the sender by it.
    response.type('text/xml').send(new twilio.twiml.MessagingResponse().toString());
  };

const takeStatus =
  ({ events, onReference, log }: CallbackDeps): RequestHandler =>
  async (request, response) => {
    const told = events();
    const parsed = status.safeParse(request.body);
    const query = statusQuery.safeParse(request.query);
    if (!parsed.success || !query.success) return void response.status(400).end();
    const { MessageSid: reference, MessageStatus: named, ErrorCode: code = 0 } = parsed.data;
    const submissionId = query.data.submission ?? null;
    try {
      if (!told) throw new Error('not started');
      if (submissionId !== null) await onReference(submissionId, reference);
      const state = stateOf(named);
      if (state) await told.receipt({ reference, submissionId, at: new Date(), ...outcome(state, code) });
    } catch (err) {
      log.error({ err }, 'a receipt from Twilio could not be stored; Twilio is asked to try again');
      return void response.status(503).end();
    }
    response.status(204).end();
  };

/** null: nothing has happened that we tell. */
function stateOf(named: string): Receipt['state'] | null {
  switch (named) {
    case 'sent':
      return 'sent';
    case 'delivered':
    case 'read':
      return 'delivered';
    case 'undelivered':
    case 'failed':
    case 'canceled':
      return 'failed';
    default:
      return null;
  }
}

function outcome(
  state: Receipt['state'],
  code: number,
): Pick<Receipt, 'state' | 'errorCode' | 'errorMessage'> {
  if (state !== 'failed') return { state, errorCode: null, errorMessage: null };
  const errorMessage = code > 0 ? `The carrier reports Twilio ${code}.` : 'The carrier reports no reason.';
  return { state, errorCode: wordFor(code) ?? 'rejected', errorMessage };
}
