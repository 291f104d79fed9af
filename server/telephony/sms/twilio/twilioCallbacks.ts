import express, { Router, type RequestHandler } from 'express';
import type { Logger } from 'pino';
import twilio from 'twilio';
import { z } from 'zod';

import type { CarrierEvents, Receipt } from '../Carrier.ts';
import { codeFor } from './twilioError.ts';

interface CallbackDeps {
  authToken: string;
  /** The base URL that Twilio calls. Twilio's signature covers it. */
  publicUrl: string;
  log: Logger;
  /** Returns null until the carrier has started. */
  events: () => CarrierEvents | null;
  /** Called with the id that Twilio assigned to a submission. */
  onReference: (submissionId: string, sid: string) => Promise<void>;
}

const sid = z.string().regex(/^[A-Z]{2}[0-9a-f]{32}$/);
const maxMedia = 10;
const inbound = z.looseObject({
  MessageSid: sid,
  From: z.string().min(1).max(64),
  To: z.string().min(1).max(64),
  Body: z.string().max(16_000).default(''),
  NumMedia: z.coerce.number().int().min(0).max(maxMedia).default(0),
  /** With Advanced Opt-Out, Twilio has its own keywords, and answers them itself. */
  OptOutType: z.enum(['STOP', 'START', 'HELP']).optional().catch(undefined),
});
const status = z.looseObject({
  MessageSid: sid,
  MessageStatus: z.string().max(32),
  ErrorCode: z.coerce.number().int().min(0).max(99_999).optional(),
});
const answered = { STOP: 'stop', START: 'start', HELP: 'help' } as const;
const mediaUrl = z.url({ protocol: /^https$/ }).max(2_000);
const statusQuery = z.object({
  submission: z
    .string()
    .regex(/^msg_[0-9A-Za-z]{24}$/)
    .optional(),
});

/**
 * Handles Twilio's callbacks: `/inbound` for inbound texts, `/status` for receipts. Twilio may call each of them repeatedly and in any
 * order. The server answers with success only once the event is stored; otherwise Twilio tries again.
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
    log.warn({ requestId: request.id }, 'callback without a valid Twilio signature refused');
    response.status(403).end();
  };

const takeText =
  ({ events, log }: CallbackDeps): RequestHandler =>
  async (request, response) => {
    const carrierEvents = events();
    const parsed = inbound.safeParse(request.body);
    if (!parsed.success) return void response.status(400).end();
    const {
      MessageSid: reference,
      From: from,
      To: to,
      Body: text,
      NumMedia: count,
      OptOutType,
      ...more
    } = parsed.data;
    const mediaUrls = Array.from({ length: count }, (_, index) =>
      mediaUrl.safeParse(more[`MediaUrl${index}`]),
    );
    try {
      if (!carrierEvents) throw new Error('not started');
      await carrierEvents.inbound({
        reference,
        from,
        to,
        text,
        mediaUrls: mediaUrls.flatMap(({ data }) => data ?? []),
        receivedAt: new Date(),
        answeredKeyword: OptOutType && answered[OptOutType],
      });
    } catch (err) {
      log.error({ err }, 'storing a text from Twilio failed; Twilio is asked to try again');
      return void response.status(503).end();
    }
    // With an empty answer, Twilio sends no reply to the text.
    response.type('text/xml').send(new twilio.twiml.MessagingResponse().toString());
  };

const takeStatus =
  ({ events, onReference, log }: CallbackDeps): RequestHandler =>
  async (request, response) => {
    const carrierEvents = events();
    const parsed = status.safeParse(request.body);
    const query = statusQuery.safeParse(request.query);
    if (!parsed.success || !query.success) return void response.status(400).end();
    const { MessageSid: reference, MessageStatus: named, ErrorCode: code = 0 } = parsed.data;
    const submissionId = query.data.submission ?? null;
    try {
      if (!carrierEvents) throw new Error('not started');
      if (submissionId !== null) await onReference(submissionId, reference);
      const state = stateOf(named);
      if (state)
        await carrierEvents.receipt({ reference, submissionId, at: new Date(), ...outcome(state, code) });
    } catch (err) {
      log.error({ err }, 'storing a receipt from Twilio failed; Twilio is asked to try again');
      return void response.status(503).end();
    }
    response.status(204).end();
  };

/** @returns null for a status that is not reported */
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
  return { state, errorCode: codeFor(code) ?? 'rejected', errorMessage };
}
