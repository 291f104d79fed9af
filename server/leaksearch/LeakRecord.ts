import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { LeakQueryType } from '../../sdk/protocol/leaksearch.ts';
import type { Breach } from './LeakSource.ts';
import { hashOf, normaliseQuery } from './query.ts';

/** What a file and the options of its import say about a breach. */
export type KnownBreach = Partial<Breach> & Pick<Breach, 'source'>;

/** A record whose identifiers and password are replaced by hashes. */
export interface HashedRecord {
  breach: KnownBreach;
  /** Hashes of the identifiers, in hexadecimal. */
  entries: string[];
  /** SHA-1 in hexadecimal. */
  password: string | null;
}

/** Dumps of databases have NUL characters, for example after texts in columns of a fixed width. PostgreSQL cannot store them. */
const clean = (value: string | number) => String(value).replaceAll('\0', '').trim();
const text = z.union([z.string(), z.number()], { error: 'text' }).transform(clean);
const optionalText = text
  .nullish()
  .transform((value) => (value === undefined || value === '' ? null : value));
const identifier = optionalText.pipe(z.string().max(320).nullable());

/** A line of a file: leaked identifiers or a password, and possibly details of the breach. */
const record = z.object({
  email: identifier,
  username: identifier,
  phone: identifier,
  domain: identifier,
  password: optionalText,
  password_sha1: optionalText.pipe(
    z
      .string()
      .regex(/^[0-9a-f]{40}$/i)
      .nullable(),
  ),
  source: optionalText.pipe(
    z
      .string()
      .regex(/^[\w.-]{1,64}$/)
      .nullable(),
  ),
  title: optionalText.pipe(z.string().max(200).nullable()),
  breach_domain: optionalText.pipe(z.string().max(253).nullable()),
  breach_date: optionalText.pipe(z.iso.date().nullable()),
  data_classes: z
    .union([z.array(z.string()), z.string().transform((list) => list.split(';'))])
    .nullish()
    .transform((list) => (list ?? []).map(clean).filter(Boolean))
    .pipe(z.array(z.string().max(64)).max(100)),
  verified: z
    .union([z.boolean(), z.string().transform((word) => /^(true|yes|1)$/i.test(word))])
    .nullish()
    .transform((verified) => verified ?? null),
  records: optionalText.pipe(
    z
      .string()
      .regex(/^\d{1,15}$/)
      .nullable(),
  ),
});

/**
 * Reads a line. The identifiers and the password are returned only as hashes.
 * @param usual values for lines that do not contain them
 * @returns null for a line without usable data
 */
export function readRecord(line: unknown, usual: Partial<Breach>, key: Buffer): HashedRecord | null {
  const parsed = record.safeParse(line);
  if (!parsed.success) return null;
  const fields = parsed.data;
  const source = fields.source ?? usual.source;
  const entries = entriesOf(fields, key);
  const password = passwordOf(fields);
  if (source === undefined || (entries.length === 0 && password === null)) return null;
  return {
    breach: { ...usual, ...detailsOf(fields), source },
    entries,
    password,
  };
}

type Fields = z.output<typeof record>;

/** The details of the breach that the line contains. */
const detailsOf = ({ title, breach_domain, breach_date, data_classes, verified, records }: Fields) => ({
  ...(title === null ? {} : { title }),
  ...(breach_domain === null ? {} : { domain: breach_domain.toLowerCase() }),
  ...(breach_date === null ? {} : { breachDate: breach_date }),
  ...(data_classes.length === 0 ? {} : { dataClasses: data_classes }),
  ...(verified === null ? {} : { verified }),
  ...(records === null ? {} : { records: Number(records) }),
});

function entriesOf({ email, username, phone, domain }: Fields, key: Buffer): string[] {
  const known: [LeakQueryType, string | null | undefined][] = [
    ['email', email],
    ['username', username],
    ['phone', phone],
    // An email address counts as a leak of its domain too.
    ['domain', domain ?? email?.slice(email.lastIndexOf('@') + 1)],
  ];
  return known.flatMap(([type, value]) =>
    value ? [hashOf(key, type, normaliseQuery(type, value)).toString('hex')] : [],
  );
}

function passwordOf({ password, password_sha1: sha1 }: Fields): string | null {
  if (sha1) return sha1.toLowerCase();
  return password ? createHash('sha1').update(password).digest('hex') : null;
}
