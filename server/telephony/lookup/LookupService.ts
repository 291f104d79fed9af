import type { z } from 'zod';
import type { lookUp, WireLookup } from '../../../sdk/protocol/lookup.ts';
import type { LookupField, NumberDirectory } from './NumberDirectory.ts';
import { readNumber } from './readNumber.ts';

/** Without `fields`: what one question to a directory answers. A caller's name is another, and costs twice as much to ask. */
const usualFields: LookupField[] = ['carrier', 'lineType'];

/** Says what a number is. */
export class LookupService {
  readonly #directory: NumberDirectory;

  constructor(directory: NumberDirectory) {
    this.#directory = directory;
  }

  /** @param credits what is charged for it */
  async lookUp(body: z.output<typeof lookUp>, credits: number): Promise<WireLookup> {
    const { number, errors } = readNumber(body);
    const nothing = { lineType: 'unknown', carrier: null, callerName: null } as const;
    const { validationErrors, ...facts } =
      number && errors.length === 0
        ? await this.#directory.look(number, new Set(body.fields ?? usualFields))
        : { ...nothing, validationErrors: errors };
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
