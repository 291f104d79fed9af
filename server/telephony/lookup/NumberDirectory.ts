import type { PhoneNumber } from 'libphonenumber-js/max';
import type { WireLookup } from '../../../sdk/protocol/lookup.ts';

export type LookupField = 'carrier' | 'lineType' | 'callerName';

/** What is known of a number beyond its form. */
export interface NumberFacts extends Pick<WireLookup, 'lineType' | 'carrier' | 'callerName'> {
  /** Why it is none after all; empty where nothing speaks against it. */
  validationErrors: string[];
}

/** Who knows what a number is: the port every driver fits (embedded, Twilio Lookup). */
export interface NumberDirectory {
  /** Of a number whose form is right. What was not asked for may be left unknown. */
  look(number: PhoneNumber, fields: ReadonlySet<LookupField>): Promise<NumberFacts>;
}
