import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyScopes } from '../../../sdk/protocol/http.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { FakeServer, type FakeAnswer } from '../../harness/services/FakeServer.ts';
import { api, newCustomer, newKey, wrongBalances } from '../money/accountSupport.ts';
import { bearer } from '../support.ts';

const balanceOf = async (url: string, headers: Record<string, string>) =>
  (await api(url, 'GET', '/account/credits', headers)).body.credits;

describe('without configuration', () => {
  let server: ServerProcess;
  let key: Record<string, string>;
  const lookUp = (body: object) => api(server.url, 'POST', '/lookup', key, body);

  beforeAll(async () => {
    server = await ServerProcess.start();
    const customer = await newCustomer(server.url);
    key = bearer((await newKey(server.url, customer, { scopes: keyScopes })).secret);
  });
  afterAll(() => server?.dispose());

  it('looks up a number for one credit', async () => {
    const before = await balanceOf(server.url, key);
    const reply = await lookUp({ phoneNumber: '0151 1234 5678', country: 'DE' });
    expect([reply.status, reply.body]).toEqual([
      200,
      {
        phoneNumber: '+4915112345678',
        valid: true,
        validationErrors: [],
        countryCode: 'DE',
        callingCode: '49',
        nationalFormat: '01511 2345678',
        lineType: 'mobile',
        carrier: { name: 'T-Mobile', mcc: null, mnc: null },
        callerName: null,
        credits: 1,
      },
    ]);
    expect(await balanceOf(server.url, key)).toBe(Number(before) - 1);
  });

  it.each([
    ['+493012345678', 'landline'],
    ['+18005551234', 'toll_free'],
    ['+33912345678', 'non_fixed_voip'],
    ['+12025550123', 'unknown'],
  ])('classifies %s as %s', async (phoneNumber, lineType) => {
    expect((await lookUp({ phoneNumber })).body).toMatchObject({ valid: true, lineType });
  });

  it('returns only the requested fields', async () => {
    const phoneNumber = '+4915112345678';
    const { body } = await lookUp({ phoneNumber, fields: ['lineType'] });
    expect(body).toMatchObject({ lineType: 'mobile', carrier: null });
    expect((await lookUp({ phoneNumber, fields: ['carrier'] })).body).toMatchObject({
      lineType: 'unknown',
      carrier: { name: 'T-Mobile' },
    });
  });

  it('does not charge for an invalid number', async () => {
    const before = await balanceOf(server.url, key);
    for (const [phoneNumber, error] of [
      ['+1415', 'TOO_SHORT'],
      ['hello', 'NOT_A_NUMBER'],
      ['+441632960960', 'INVALID_BUT_POSSIBLE'],
    ]) {
      const { status, body } = await lookUp({ phoneNumber });
      expect([status, body]).toMatchObject([
        200,
        { valid: false, validationErrors: [error], lineType: 'unknown', credits: 0 },
      ]);
    }
    expect(await balanceOf(server.url, key)).toBe(before);
    expect(await wrongBalances(server)).toEqual([]);
  });
});

const accountSid = `AC${'01'.repeat(16)}`;

describe('with Twilio Lookup', () => {
  let twilio: FakeServer;
  let server: ServerProcess;
  let key: Record<string, string>;
  let answer: FakeAnswer | null;
  const number = '+15108675310';
  const lookUp = (body: object) => api(server.url, 'POST', '/lookup', key, { phoneNumber: number, ...body });
  // The example response from Twilio's documentation.
  const found = {
    calling_country_code: '1',
    country_code: 'US',
    phone_number: '+15108675310',
    national_format: '(510) 867-5310',
    valid: true,
    validation_errors: [],
    caller_name: { caller_name: 'Sergio Suarez', caller_type: 'CONSUMER', error_code: null },
    line_type_intelligence: {
      error_code: null,
      mobile_country_code: '240',
      mobile_network_code: '38',
      carrier_name: 'Twilio - SMS/MMS-SVR',
      type: 'nonFixedVoip',
    },
    sim_swap: null,
    url: 'https://lookups.twilio.com/v2/PhoneNumbers/+15108675310',
  };

  beforeAll(async () => {
    twilio = await FakeServer.start(() => answer);
    server = await ServerProcess.start({
      LOOKUP_DRIVER: 'twilio',
      TWILIO_ACCOUNT_SID: accountSid,
      TWILIO_AUTH_TOKEN: 'the token',
      TWILIO_LOOKUP_URL: `${twilio.url}/`,
    });
    const customer = await newCustomer(server.url);
    key = bearer((await newKey(server.url, customer, { scopes: keyScopes })).secret);
  });
  afterAll(async () => {
    await server?.dispose();
    await twilio?.close();
  });

  it('asks Twilio only for the wanted fields, and sends the credentials', async () => {
    answer = { body: found };
    const asked = async (fields?: string[]) => {
      const { body } = await lookUp(fields ? { fields } : {});
      return [body, twilio.received.at(-1)?.query.get('Fields')] as const;
    };
    const carrier = { name: 'Twilio - SMS/MMS-SVR', mcc: '240', mnc: '38' };
    expect(await asked()).toMatchObject([
      { valid: true, lineType: 'non_fixed_voip', carrier, callerName: null, credits: 1 },
      'line_type_intelligence',
    ]);
    expect(await asked(['callerName'])).toMatchObject([
      { lineType: 'unknown', carrier: null, callerName: 'Sergio Suarez' },
      'caller_name',
    ]);
    expect(await asked([])).toMatchObject([{ lineType: 'unknown', carrier: null, callerName: null }, null]);
    expect(twilio.received.at(-1)).toMatchObject({
      method: 'GET',
      path: `/v2/PhoneNumbers/${number}`,
      headers: { authorization: `Basic ${Buffer.from(`${accountSid}:the token`).toString('base64')}` },
    });
  });

  it.each([
    [
      'an invalid number',
      { body: { ...found, valid: false, validation_errors: ['TOO_SHORT'] } },
      ['TOO_SHORT'],
    ],
    ['a number unknown to Twilio', { status: 404, body: { code: 20404 } }, ['INVALID_BUT_POSSIBLE']],
  ])('reports %s as not valid', async (_case, given, validationErrors) => {
    answer = given;
    expect((await lookUp({})).body).toMatchObject({ valid: false, validationErrors, carrier: null });
  });

  it('neither asks Twilio nor charges for an obviously invalid number', async () => {
    const before = twilio.received.length;
    expect((await lookUp({ phoneNumber: '+1415' })).body).toMatchObject({ valid: false, credits: 0 });
    expect(twilio.received).toHaveLength(before);
  });

  it.each<[string, FakeAnswer | null, number, string]>([
    ['fails', { status: 500 }, 502, 'upstream_error'],
    ['rejects the credentials', { status: 401, body: { code: 20003 } }, 502, 'upstream_error'],
    ['hangs up', null, 502, 'upstream_error'],
    ['returns invalid JSON', { body: '<html>' }, 502, 'upstream_error'],
    ['returns an unexpected shape', { body: { valid: 'maybe' } }, 502, 'upstream_error'],
    ['redirects', { status: 302, headers: { location: 'http://127.0.0.1/' } }, 502, 'upstream_error'],
    ['limits the rate', { status: 429, headers: { 'retry-after': '7' } }, 503, 'service_unavailable'],
  ])('refunds the credit when Twilio %s', async (_case, given, status, error) => {
    answer = given;
    const before = await balanceOf(server.url, key);
    const reply = await lookUp({});
    expect([reply.status, reply.body.error]).toEqual([status, error]);
    if (status === 503) expect(reply.headers['retry-after']).toBe('7');
    expect(await balanceOf(server.url, key)).toBe(before);
    expect(server.log).not.toContain('the token');
  });
});
