import { z } from 'zod';
import type { Address, EvmAddress } from './address.ts';
import type { IdPrefix } from './ids.ts';
import { normalAddress, normalEvmAddress } from './normalAddress.ts';

export type { Address, EvmAddress };

/** What a wallet field says that holds no address; the server turns it into INVALID_ADDRESS. */
export const notAnAddress =
  'a wallet address is 0x and 40 hexadecimal digits; in mixed case its checksum (EIP-55) must be right';

const exampleAddress = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

/** A plain EVM address, in any case on the way in, with its EIP-55 checksum from here on. */
export const evmAddress = z
  .string({ error: notAnAddress })
  .refine((text) => normalEvmAddress(text) !== null, { error: notAnAddress, abort: true })
  .overwrite((text) => normalEvmAddress(text) ?? text)
  .meta({
    description: 'The address of a wallet: 0x and 40 hexadecimal digits. Answers have its EIP-55 checksum.',
    examples: [exampleAddress],
  }) as unknown as z.ZodType<EvmAddress, string>;

/** A wallet's identity: a plain address or the CAIP-10 id of a contract wallet, normalised like a plain address. */
export const walletAddress = z
  .string({ error: notAnAddress })
  .refine((text) => normalAddress(text) !== null, { error: notAnAddress, abort: true })
  .overwrite((text) => normalAddress(text) ?? text)
  .meta({
    description: 'A wallet: its address, or the CAIP-10 id of a contract wallet (eip155:8453:0x…).',
    examples: [exampleAddress],
  }) as unknown as z.ZodType<Address, string>;

/** A moment on the wire: ISO 8601, UTC, milliseconds. The SDK hands it to the app as a Date. */
export const isoDate = z.iso
  .datetime({ precision: 3 })
  .brand<'IsoDate'>()
  .meta({
    description: 'A moment: ISO 8601, UTC, milliseconds.',
    examples: ['2026-11-20T12:00:00.000Z' as never],
  });
export type IsoDate = z.infer<typeof isoDate>;

export function toIso(date: Date): IsoDate {
  return date.toISOString() as IsoDate;
}

export const id = (prefix: IdPrefix) =>
  z
    .string()
    .regex(new RegExp(`^${prefix}_[0-9A-Za-z]{24}$`), {
      error: `must be an id of the form ${prefix}_… (${prefix}_ and 24 letters or digits)`,
    })
    .meta({
      description: `An id of the form ${prefix}_… (24 letters and digits).`,
      examples: [`${prefix}_4fT9qLx2VbN7cRk0HsWdJyAe`],
    });

/** An answer that says no more than that it is done. */
export const nothing = z.strictObject({});

/**
 * Any text a client sends; bounds are added where it is used. PostgreSQL stores no NUL, so it is refused here, and half of a surrogate
 * pair becomes U+FFFD, as it would on its way into the database.
 */
export const plainText = z
  .string()
  .refine((text) => !text.includes('\0'), { error: 'text without the NUL character', abort: true })
  .overwrite((text) => text.replace(/\p{Surrogate}/gu, '\uFFFD'));

/** What the application shows for a wallet where the wallet gives itself no name. */
export const displayName = plainText.trim().min(1).max(64);

/** A wire type as the application sees it: moments are Dates, and the SDK's own `revision` is left out. */
export type FromWire<T> = T extends IsoDate
  ? Date
  : T extends (infer Item)[]
    ? FromWire<Item>[]
    : T extends object
      ? { [Key in keyof T as Key extends 'revision' ? never : Key]: FromWire<T[Key]> }
      : T;

/**
 * Checks what came from outside. Zod reads the length of whatever it is given, also where it expected a text or a list, and
 * throws on `{"length": {"valueOf": 1}}`: here that is a refusal like any other.
 */
export function safeParse<Schema extends z.ZodType>(
  schema: Schema,
  given: unknown,
): z.ZodSafeParseResult<z.output<Schema>> {
  try {
    return z.safeParse(schema, given);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const message = 'a field has a value of the wrong type';
    const refused = new z.ZodError([{ code: 'custom', path: [], message, input: given }]);
    return { success: false, error: refused as z.ZodError<z.output<Schema>> };
  }
}
