import { z } from 'zod';
import {
  count,
  countries,
  delays,
  flag,
  matching,
  number,
  origin,
  phoneNumbers,
  pricesByCountry,
  seconds,
  smscUrl,
  text,
} from '../settingKinds.ts';
import { setting } from './setting.ts';

/** Carriers, texts and phone numbers. */
export const telephonySettings = {
  CARRIER: setting(
    z.enum(['loopback', 'smpp', 'twilio']),
    'carrier for texts and phone numbers: loopback delivers only within this installation; smpp and twilio reach real phones',
    'loopback',
  ),
  SMPP_URL: setting(
    smscUrl.optional(),
    'SMSC for CARRIER=smpp: smpp://system-id:password@host:port, smpps:// for TLS',
  ),
  SMPP_SYSTEM_TYPE: setting(
    matching(/^[\x20-\x7e]{0,12}$/, 'use up to 12 printable ASCII characters'),
    'system_type for the SMSC, if it requires one',
    '',
  ),
  SMPP_BIND: setting(
    z.enum(['transceiver', 'separate']),
    'transceiver for one connection in both directions, separate for a transmitter and a receiver',
    'transceiver',
  ),
  SMPP_NUMBERS: setting(
    phoneNumbers,
    'phone numbers the SMSC has assigned to this bind, comma-separated; they are sold to accounts, except those in SMS_POOL_NUMBERS',
    '',
  ),
  SMPP_WINDOW: setting(
    number.pipe(z.int().min(1).max(1_000)),
    'texts that may wait for an answer of the SMSC at the same time',
    '10',
  ),
  SMPP_ENQUIRE_SECONDS: setting(
    seconds,
    'how often the connection to the SMSC is checked (enquire_link)',
    '30',
  ),
  SMPP_CA_FILE: setting(
    text.optional(),
    'PEM file of the CA that signed the certificate of the SMSC, if the system does not trust it',
  ),
  TWILIO_ACCOUNT_SID: setting(
    matching(/^AC[0-9a-f]{32}$/, 'use AC and 32 hexadecimal digits').optional(),
    'Twilio account for CARRIER=twilio and LOOKUP_DRIVER=twilio',
  ),
  TWILIO_AUTH_TOKEN: setting(
    text.optional(),
    'auth token of the Twilio account; it also verifies webhooks from Twilio',
  ),
  TWILIO_API_BASE: setting(origin, 'base URL of the Twilio API', 'https://api.twilio.com'),
  SMS_POOL_NUMBERS: setting(
    phoneNumbers,
    'phone numbers for texts that are not sent from a number of the account, comma-separated; CARRIER=loopback has its own',
    '',
  ),
  SMS_POOL_SILENT_DAYS: setting(
    count,
    'days without a text in either direction after which another account may text a recipient from the same pool number',
    '30',
  ),
  SMS_COUNTRIES: setting(
    countries,
    'countries that may be texted, comma-separated; * for all; a short list protects against SMS pumping fraud',
    'US,CA,GB,GG,JE,IM,IE,DE,AT,CH,FR,BE,NL,LU,ES,PT,IT,DK,SE,NO,FI,PL,CZ,AU,NZ,JP',
  ),
  SMS_PRICES: setting(
    pricesByCountry,
    'credits per segment by country, where they differ from the built-in table (US=2,DE=10,*=15)',
    '',
  ),
  SMS_SUBMIT_SECONDS: setting(
    seconds,
    'how long the carrier may take to accept a text or sell a number before the outcome counts as unknown',
    '20',
  ),
  NUMBER_GRACE_DAYS: setting(
    count,
    'days an expired number can still be renewed before it is released',
    '14',
  ),
};

/** Webhooks of phone numbers. */
export const webhookSettings = {
  WEBHOOK_ALLOW_LOOPBACK: setting(
    flag,
    'allows webhooks to this machine, and over http; for development and tests',
    'false',
  ),
  WEBHOOK_TIMEOUT_SECONDS: setting(seconds, 'how long the receiver of a webhook may take to answer', '10'),
  WEBHOOK_RETRY_SECONDS: setting(
    delays,
    'seconds before each further attempt to deliver a webhook, comma-separated; the delivery fails after the last one',
    '5,300,1800,7200,18000,36000,50400,72000,86400',
  ),
};
