import { readFileSync } from 'node:fs';
import type { Carrier } from '../telephony/sms/Carrier.ts';
import { LoopbackCarrier } from '../telephony/sms/loopback/LoopbackCarrier.ts';
import type { Parts } from './Parts.ts';
import { smscAddress } from '../telephony/sms/smpp/smscAddress.ts';

/** Creates the configured carrier. The libraries of other carriers are not loaded. */
export async function createCarrier(parts: Pick<Parts, 'config' | 'db' | 'jobs' | 'log'>): Promise<Carrier> {
  const { config, db, jobs, log } = parts;
  const pool = config.SMS_POOL_NUMBERS;
  const submitMs = config.SMS_SUBMIT_SECONDS * 1_000;
  switch (config.CARRIER) {
    case 'loopback':
      return new LoopbackCarrier({ db, jobs, log, pool: pool.length > 0 ? pool : undefined });
    case 'smpp': {
      const { SmppCarrier } = await import('../telephony/sms/smpp/SmppCarrier.ts');
      const { SMPP_URL: url, SMPP_SYSTEM_TYPE: systemType, SMPP_CA_FILE: caFile } = config;
      const ca = caFile === undefined ? undefined : readFileSync(caFile, 'utf8');
      return new SmppCarrier({
        db,
        jobs,
        log,
        pool,
        submitMs,
        smsc: smscAddress(required(url), systemType, ca),
        bind: config.SMPP_BIND,
        numbers: config.SMPP_NUMBERS,
        window: config.SMPP_WINDOW,
        enquireMs: config.SMPP_ENQUIRE_SECONDS * 1_000,
      });
    }
    case 'twilio': {
      const { TwilioCarrier } = await import('../telephony/sms/twilio/TwilioCarrier.ts');
      return new TwilioCarrier({
        db,
        jobs,
        log,
        pool,
        submitMs,
        accountSid: required(config.TWILIO_ACCOUNT_SID),
        authToken: required(config.TWILIO_AUTH_TOKEN),
        apiBase: config.TWILIO_API_BASE,
        publicUrl: required(config.PUBLIC_URL),
      });
    }
  }
}

/** Returns a setting that the carrier requires. readConfig() has already checked that it is set. */
function required(value: string | undefined): string {
  if (value === undefined) throw new Error('the carrier is not configured');
  return value;
}
