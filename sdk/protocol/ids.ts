import { ParleyError } from './errors.ts';

/** The prefixes of ids: one for each type. See newId(). */
export type IdPrefix =
  | ('call' | 'msg' | 'cnv' | 'grp' | 'room' | 'str' | 'vm' | 'req' | 'ses' | 'acc' | 'par' | 'node')
  /** Telephony: number, order, thread, webhook event, verification, eSIM. */
  | ('num' | 'ord' | 'thr' | 'evt' | 'vrf' | 'esm')
  /** API key, ledger entry, reservation, audit row. */
  | ('key' | 'txn' | 'rsv' | 'aud')
  /** Media file, recording. */
  | ('med' | 'rec')
  /** Identity at an outside provider, payment (by an account, or for one request). */
  | ('idn' | 'pay')
  /** Export of the data of an account. */
  | 'exp'
  /** Device registered for push, participant token, webhook endpoint, webhook delivery. */
  | ('psh' | 'ptk' | 'whk' | 'dlv');

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Milliseconds since 1970 fit into this many characters until 2081. */
const timeLength = 7;
const randomLength = 17;
/** Bytes at or above this value are skipped, because they would make the first characters of the alphabet more likely. */
const limit = 256 - (256 % alphabet.length);

/**
 * Creates an id: a prefix, the time, and 17 random characters (101 bits), which nobody can guess. Rows that are written or read together
 * were often created together, and the time makes them neighbours in the index of their ids, so that the database reads and writes fewer
 * pages. Nothing may depend on the order of ids: devices and nodes have different clocks.
 * @param at milliseconds since 1970
 * @param random the random part of another id. Default: a new one
 * @returns for example msg_VcHGopcCn3ugI2uqamILt7Sb
 */
export function newId(prefix: IdPrefix, at = Date.now(), random = randomBase62(randomLength)): string {
  const time = toBase62(at).padStart(timeLength, '0').slice(-timeLength);
  return `${prefix}_${time}${random}`;
}

/** The random part of an id. */
export const randomOf = (id: string): string => id.slice(-randomLength);

/** The time in an id, in milliseconds since 1970. */
export function timeOfId(id: string): number {
  const start = id.indexOf('_') + 1;
  return [...id.slice(start, start + timeLength)].reduce(
    (time, digit) => time * alphabet.length + alphabet.indexOf(digit),
    0,
  );
}

let fillWithRandom = (bytes: Uint8Array<ArrayBuffer>): unknown => {
  const { crypto } = globalThis as { crypto?: Crypto };
  if (crypto) return crypto.getRandomValues(bytes);
  throw new ParleyError(
    'INTERNAL',
    'This runtime has no crypto.getRandomValues. Pass it: new Parley({ platform: { getRandomValues } }).',
  );
};

/** Sets the source of random numbers, in a runtime without `crypto.getRandomValues`. */
export function useRandomValues(fill: (bytes: Uint8Array<ArrayBuffer>) => unknown): void {
  fillWithRandom = fill;
}

/** Random bytes, generated in blocks, because generating a few bytes takes as long as generating many. */
const pool = new Uint8Array(2_048);
let used = pool.length;

export function randomBase62(characters: number): string {
  const codes: number[] = [];
  while (codes.length < characters) {
    if (used === pool.length) {
      fillWithRandom(pool);
      used = 0;
    }
    const byte = pool[used] ?? limit;
    // The byte may be part of a secret, so do not leave it in memory.
    pool[used++] = 0;
    if (byte < limit) codes.push(alphabet.charCodeAt(byte % alphabet.length));
  }
  return String.fromCharCode(...codes);
}

/** Writes a whole number in the alphabet of ids. */
export function toBase62(value: number): string {
  const digit = alphabet.charAt(value % alphabet.length);
  return value < alphabet.length ? digit : toBase62(Math.floor(value / alphabet.length)) + digit;
}
