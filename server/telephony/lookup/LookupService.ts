import type { z } from 'zod';
import type { lookUp, WireLookup } from '../../../sdk/protocol/lookup.ts';
import type { LookupField, NumberDirectory } from './NumberDirectory.ts';
import { readNumber } from './readNumber.ts';

/**
 * The fields that are looked up if the request does not name any. One query to the directory answers both. The caller's name would need a
 * second query, at twice the price.
 */
const usualFields: LookupField[] = ['carrier', 'lineType'];

/** Looks up the country, line type, carrier and caller name of a phone number. */
export class LookupService {
  readonly #directory: NumberDirectory;

  constructor(directory: NumberDirectory) {
    this.#directory = directory;
  }

  /** @param credits the price charged for this look-up */
  async lookUp(body: z.output<typeof lookUp>, credits: number): Promise<WireLookup> {
    const { number, errors } = readNumber(body);
    const noFacts = { lineType: 'unknown', carrier: null, callerName: null } as const;
    const { validationErrors, ...facts } =
      number && errors.length === 0
        ? await this.#directory.look(number, new Set(body.fields ?? usualFields))
        : { ...noFacts, validationErrors: errors };
    return {
      phoneNumber: number?.number ?? body.phoneNumber,
      valid: validationErrors.length === 0,
      validationErrors,
      countryCode: number?.country ?? null,
      callingCode: number?.countryCallingCode ?? null,
      nationalFormat: number?.formatNational() ?? null,
      ...facts,
      credits,
    };
  }
}
