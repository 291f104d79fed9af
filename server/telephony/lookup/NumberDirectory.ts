import type { PhoneNumber } from 'libphonenumber-js/max';
import type { WireLookup } from '../../../sdk/protocol/lookup.ts';

export type LookupField = 'carrier' | 'lineType' | 'callerName';

/** Facts about a number beyond its format. */
export interface NumberFacts extends Pick<WireLookup, 'lineType' | 'carrier' | 'callerName'> {
  /** Reasons why the number is invalid. Empty if none are known. */
  validationErrors: string[];
}

/** The port that every look-up driver implements (embedded, Twilio Lookup). */
export interface NumberDirectory {
  /** Looks up a number with a valid format. Fields that were not requested may be unknown. */
  look(number: PhoneNumber, fields: ReadonlySet<LookupField>): Promise<NumberFacts>;
}
