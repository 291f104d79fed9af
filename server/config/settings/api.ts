import { count, seconds } from '../settingKinds.ts';
import { setting } from './setting.ts';

/** Rate limits of the HTTP API, voicemail and uploads, and the duration of request leases. */
export const apiSettings = {
  RATE_LIMIT_AUTH: setting(
    count,
    'sign-in requests, and requests without a valid credential, per IP address and minute',
    '300',
  ),
  RATE_LIMIT_READS: setting(count, 'HTTP reads per key or account and minute', '600'),
  RATE_LIMIT_WRITES: setting(count, 'HTTP writes per key or account and minute', '60'),
  RATE_LIMIT_VOICEMAIL: setting(count, 'voicemails a wallet may leave per minute', '10'),
  RATE_LIMIT_VOICEMAILED: setting(
    count,
    'voicemails from contacts that a wallet may receive per minute; strangers have half as many, divided as for RATE_LIMIT_CALLED',
    '30',
  ),
  RATE_LIMIT_UPLOADS: setting(count, 'upload requests per account and minute', '600'),
  RATE_LIMIT_LEAKSEARCH: setting(count, 'breach searches per key or account and minute', '10'),
  REQUEST_LEASE_SECONDS: setting(
    seconds,
    'longest time the reserved credits and the Idempotency-Key of a request stay locked after its process was killed',
    '60',
  ),
};
