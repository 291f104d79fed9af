import type { PhoneNumber } from 'libphonenumber-js/max';
import { z } from 'zod';
import type { WireLookup } from '../../../sdk/protocol/lookup.ts';
import {
  jsonOf,
  requestUpstream,
  retryAfterOf,
  upstreamBusy,
  upstreamError,
} from '../../outgoing/upstream.ts';
import type { LookupField, NumberDirectory, NumberFacts } from './NumberDirectory.ts';

/** The part of an answer that is used here; see https://www.twilio.com/docs/lookup/v2-api. */
const answer = z.object({
  valid: z.boolean().nullish(),
  validation_errors: z.array(z.string()).nullish(),
  line_type_intelligence: z
    .object({
      type: z.string().nullish(),
      carrier_name: z.string().nullish(),
      mobile_country_code: z.string().nullish(),
      mobile_network_code: z.string().nullish(),
    })
    .nullish(),
  caller_name: z.object({ caller_name: z.string().nullish() }).nullish(),
});
type LineTypeIntelligence = z.infer<typeof answer>['line_type_intelligence'];

const lineTypes: Record<string, WireLookup['lineType']> = {
  mobile: 'mobile',
  landline: 'landline',
  fixedVoip: 'fixed_voip',
  nonFixedVoip: 'non_fixed_voip',
  tollFree: 'toll_free',
};

export interface TwilioLookupOptions {
  url: string;
  accountSid: string;
  authToken: string;
}

/**
 * Looks up numbers with Twilio Lookup v2, which knows the current carrier and, in North America, the caller name. Only the requested
 * packages are queried, because each one costs money.
 */
export class TwilioLookup implements NumberDirectory {
  readonly #upstream;

  constructor({ url, accountSid, authToken }: TwilioLookupOptions) {
    const credentials = Buffer.from(`${accountSid}:${authToken}`).toString('base64');
    this.#upstream = { name: 'Twilio Lookup', url, headers: { authorization: `Basic ${credentials}` } };
  }

  async look(number: PhoneNumber, fields: ReadonlySet<LookupField>): Promise<NumberFacts> {
    const packages = [
      ...(fields.has('carrier') || fields.has('lineType') ? ['line_type_intelligence'] : []),
      ...(fields.has('callerName') ? ['caller_name'] : []),
    ];
    const path = `/v2/PhoneNumbers/${encodeURIComponent(number.number)}`;
    const query = { Fields: packages.join(',') || undefined };
    const reply = await requestUpstream(this.#upstream, path, { query });
    const { name } = this.#upstream;
    if (reply.status === 404) return unknown(['INVALID_BUT_POSSIBLE']);
    if (reply.status === 429) throw upstreamBusy(name, retryAfterOf(reply.headers));
    if (reply.status !== 200) throw upstreamError(name, `answered ${reply.status}`);
    const parsed = answer.safeParse(jsonOf(name, reply));
    if (!parsed.success) throw upstreamError(name, 'sent an answer with an unexpected format', parsed.error);
    const { valid, validation_errors: errors, line_type_intelligence: line, caller_name } = parsed.data;
    if (valid === false) return unknown(errors?.length ? errors : ['INVALID_BUT_POSSIBLE']);
    return {
      validationErrors: [],
      lineType: (fields.has('lineType') && lineTypes[line?.type ?? '']) || 'unknown',
      carrier: fields.has('carrier') ? carrierOf(line) : null,
      callerName: (fields.has('callerName') && caller_name?.caller_name) || null,
    };
  }
}

const carrierOf = (line: LineTypeIntelligence): WireLookup['carrier'] =>
  line?.carrier_name
    ? {
        name: line.carrier_name,
        mcc: line.mobile_country_code ?? null,
        mnc: line.mobile_network_code ?? null,
      }
    : null;

const unknown = (validationErrors: string[]): NumberFacts => ({
  validationErrors,
  lineType: 'unknown',
  carrier: null,
  callerName: null,
});
