import { z } from 'zod';
import type { Address, EvmAddress } from './address.ts';
import type { Recipient } from './group.ts';
import type { IdPrefix } from './ids.ts';
import { normalAddress, normalEvmAddress } from './normalAddress.ts';

export type { Address, EvmAddress };

/** The error message for a wallet field without a valid address. The server reports it with the code INVALID_ADDRESS. */
export const notAnAddress =
  'must be a wallet address: 0x and 40 hexadecimal digits, with a correct EIP-55 checksum if in mixed case';

const exampleAddress = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

/** A plain EVM address. The input may be in any case; the output has the EIP-55 checksum. */
export const evmAddress = z
  .string({ error: notAnAddress })
  .refine((text) => normalEvmAddress(text) !== null, { error: notAnAddress, abort: true })
  .overwrite((text) => normalEvmAddress(text) ?? text)
  .meta({
    description: 'The address of a wallet: 0x and 40 hexadecimal digits. Responses have the EIP-55 checksum.',
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

/** Who gets a message: a wallet, or a group. */
export const recipient = z
  .string({ error: notAnAddress })
  .refine((text) => groupId.test(text) || normalAddress(text) !== null, { error: notAnAddress, abort: true })
  .overwrite((text) => normalAddress(text) ?? text)
  .meta({
    description:
      'A wallet, as its address or the CAIP-10 id of a contract wallet; or the id of a group (grp_…).',
    examples: [exampleAddress],
  }) as unknown as z.ZodType<Recipient, string>;
const groupId = /^grp_[0-9A-Za-z]{24}$/;

/** The first and the last time that PostgreSQL stores as JavaScript writes it: it has no year 0, and later years begin with a sign. */
export const [earliest, latest] = [
  new Date('0001-01-01T00:00:00.000Z'),
  new Date('9999-12-31T23:59:59.999Z'),
];
export const notStorable = 'must be in the years 1 to 9999, in UTC';
export function isStorable(text: string): boolean {
  const time = new Date(text);
  return time >= earliest && time <= latest;
}

/** A time on the wire: ISO 8601 in UTC with milliseconds. The SDK converts it to a Date, by the name of the field (fromWire.ts). */
export const isoDate = z.iso
  .datetime({ precision: 3 })
  .refine(isStorable, { error: notStorable })
  .brand<'IsoDate'>()
  .meta({
    description: 'A time: ISO 8601 in UTC, with milliseconds.',
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

/** An empty request or response. */
export const nothing = z.strictObject({});

/**
 * Any text from a client; each field adds its own bounds. NUL is rejected because PostgreSQL cannot store it. An unpaired surrogate
 * is replaced with U+FFFD, as it would be when written to the database.
 */
export const plainText = z
  .string()
  .refine((text) => !text.includes('\0'), { error: 'must not contain a NUL character', abort: true })
  .overwrite((text) => text.replace(/\p{Surrogate}/gu, '\uFFFD'));

/** The name that a wallet shows to the others in a room or stream. */
export const displayName = plainText.trim().min(1).max(64);

/** A wire type as the SDK passes it to the app: times are Dates, and `revision`, which only the SDK needs, is left out. */
export type FromWire<T> = T extends IsoDate
  ? Date
  : T extends (infer Item)[]
    ? FromWire<Item>[]
    : T extends object
      ? { [Key in keyof T as Key extends 'revision' ? never : Key]: FromWire<T[Key]> }
      : T;

/**
 * Parses untrusted input. Zod reads `length` of any value, even if it expected a string or an array, and throws on
 * `{"length": {"valueOf": 1}}`. This function returns an ordinary validation error instead.
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
