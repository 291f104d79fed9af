import type { NumberType, PhoneNumber } from 'libphonenumber-js/max';
import type { WireLookup } from '../../../sdk/protocol/lookup.ts';
import type { LookupField, NumberDirectory, NumberFacts } from './NumberDirectory.ts';

/**
 * What Google's numbering metadata says, offline: the line by its range, and the carrier the range was first given to. A number
 * that was ported since still names its first carrier, and nobody's name is known.
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

/** Loads the library when it is first asked: a twentieth of the time a server takes to start. */
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
      // Ranges of their own for VoIP are bound to no place.
      return 'non_fixed_voip';
    default:
      // Among them North America's, where one range holds landlines and mobiles.
      return 'unknown';
  }
}
