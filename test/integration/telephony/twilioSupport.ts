import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { pino } from 'pino';
import { TwilioCarrier } from '../../../server/telephony/sms/twilio/TwilioCarrier.ts';
import { ScheduledJobs } from '../../../platform/jobs/ScheduledJobs.ts';
import { FakeTwilio, twilioAccount } from '../../harness/services/FakeTwilio.ts';
import { openTestDatabase } from './smppSupport.ts';

export const twilioPool = ['+12025550121', '+12025550122'];

/** The Twilio driver with a fake Twilio, and an HTTP server for its callbacks. */
export async function startTwilioWorld({ submitMs = 20_000 } = {}) {
  const { db, close } = await openTestDatabase();
  const twilio = await FakeTwilio.start();
  const app = express();
  const server = await new Promise<Server>((resolve) => {
    const listening = app.listen(0, '127.0.0.1', () => resolve(listening));
  });
  const publicUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const logged: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) });
  const create = () =>
    new TwilioCarrier({
      db,
      log,
      publicUrl,
      submitMs,
      ...twilioAccount,
      jobs: new ScheduledJobs(db, log),
      apiBase: twilio.url,
      pool: twilioPool,
    });
  const carrier = create();
  app.use('/callbacks/twilio', carrier.callbacks);
  for (const number of twilioPool)
    twilio.inboundUrls.set(number, `${publicUrl}/callbacks/twilio/inbound#rc=5&rp=all`);
  return {
    db,
    twilio,
    carrier,
    create,
    publicUrl,
    logged,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await twilio.stop();
      await close();
    },
  };
}
