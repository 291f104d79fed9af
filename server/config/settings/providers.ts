import { z } from 'zod';
import { apiUrl, number, seconds, text } from '../settingKinds.ts';
import { setting } from './setting.ts';

/** Services that need a provider: look-ups, breach searches, eSIMs and XMPP. */
export const providerSettings = {
  LOOKUP_DRIVER: setting(
    z.enum(['embedded', 'twilio']),
    'source of phone number look-ups: embedded uses the numbering plans, twilio asks Twilio Lookup',
    'embedded',
  ),
  TWILIO_LOOKUP_URL: setting(apiUrl, 'base URL of the Twilio Lookup API', 'https://lookups.twilio.com'),
  LEAKSEARCH_DRIVER: setting(
    z.enum(['local', 'hibp']),
    'source of breach searches: local searches the data from npm run import:leaks, hibp asks Have I Been Pwned',
    'local',
  ),
  LEAKSEARCH_FREE_SEARCHES: setting(
    number.pipe(z.int()).optional(),
    'breach searches per month for accounts without a plan; if not set, 10, but 0 where the default of SIGNUP_CREDITS is 0',
  ),
  HIBP_API_KEY: setting(text.optional(), 'API key of a Have I Been Pwned subscription'),
  HIBP_URL: setting(apiUrl, 'base URL of the Have I Been Pwned API', 'https://haveibeenpwned.com/api/v3'),
  HIBP_PASSWORDS_URL: setting(
    apiUrl,
    'base URL of the Pwned Passwords API',
    'https://api.pwnedpasswords.com',
  ),
  ESIM_DRIVER: setting(
    z.enum(['loopback', 'airalo']),
    'seller of eSIMs: loopback has a test catalogue, airalo sells real ones',
    'loopback',
  ),
  ESIM_MARKUP_PERCENT: setting(number, 'percentage added to the retail price of the provider', '0'),
  ESIM_SETTLE_SECONDS: setting(
    seconds,
    'how long an eSIM order with an unknown outcome may still appear at the provider before its credits are refunded',
    '180',
  ),
  AIRALO_CLIENT_ID: setting(text.optional(), 'client id of the Airalo partner account'),
  AIRALO_CLIENT_SECRET: setting(text.optional(), 'client secret of the Airalo partner account'),
  AIRALO_URL: setting(apiUrl, 'base URL of the Airalo partner API', 'https://partners-api.airalo.com'),
  XMPP_API_URL: setting(
    apiUrl.optional(),
    "URL of ejabberd's mod_http_api (http://127.0.0.1:5280/api); without it, there are no XMPP accounts",
  ),
  XMPP_API_USER: setting(
    z.string().min(3).optional(),
    'full JID of an ejabberd administrator, if the API requires one',
  ),
  XMPP_API_PASSWORD: setting(text.optional(), 'password of the administrator'),
  XMPP_DOMAIN: setting(text.optional(), 'domain of new XMPP accounts, the part after the @'),
  XMPP_HOST: setting(text.optional(), 'host that XMPP clients connect to, if it is not the domain'),
  XMPP_WEBSOCKET_URL: setting(
    z.url({ protocol: /^wss?$/, error: 'use a ws:// or wss:// URL' }).optional(),
    'WebSocket URL for XMPP in browsers (wss://…)',
  ),
  XMPP_SMS_GATEWAY: setting(text.optional(), 'JID of an XMPP gateway to SMS, if there is one'),
};
