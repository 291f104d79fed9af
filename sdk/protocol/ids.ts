/** Every id is a prefix for its type and 24 random characters (142 bits). */
export type IdPrefix =
  | ('call' | 'msg' | 'cnv' | 'room' | 'str' | 'vm' | 'req' | 'ses' | 'acc' | 'par' | 'node')
  /** Telephony: number, order, thread, webhook event, verification, eSIM. */
  | ('num' | 'ord' | 'thr' | 'evt' | 'vrf' | 'esm')
  /** API key, ledger entry, reservation, audit row. */
  | ('key' | 'txn' | 'rsv' | 'aud')
  /** Media file, recording. */
  | ('med' | 'rec')
  /** Identity at an outside provider, payment (by an account, or for one request). */
  | ('idn' | 'pay')
  /** Device registered for push. */
  | 'psh';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const length = 24;
/** Bytes from this value on are skipped; they would make the first characters of the alphabet more likely. */
const limit = 256 - (256 % alphabet.length);

export function newId(prefix: IdPrefix): string {
  return `${prefix}_${randomBase62(length)}`;
}

/** Random bytes, generated in blocks: a call for a few bytes costs as much as a call for many. */
const pool = new Uint8Array(2_048);
let used = pool.length;

export function randomBase62(characters: number): string {
  const codes: number[] = [];
  while (codes.length < characters) {
    if (used === pool.length) {
      crypto.getRandomValues(pool);
      used = 0;
    }
    const byte = pool[used] ?? limit;
    // Do not leave bytes of a secret in memory.
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
