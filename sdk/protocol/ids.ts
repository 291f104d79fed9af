/** Every id is a prefix that says what it names, and 24 characters nobody can guess (142 bits). */
export type IdPrefix =
  | ('call' | 'msg' | 'cnv' | 'room' | 'str' | 'vm' | 'req' | 'ses' | 'acc' | 'par' | 'node')
  /** Phone side: number, order, thread, webhook event, verification, eSIM. */
  | ('num' | 'ord' | 'thr' | 'evt' | 'vrf' | 'esm')
  /** API key, ledger entry, reservation, audit row. */
  | ('key' | 'txn' | 'rsv' | 'aud')
  /** Media file, recording. */
  | ('med' | 'rec')
  /** Identity of an outside provider, payment (of an account, or of one request). */
  | ('idn' | 'pay')
  /** Device that pushes go to. */
  | 'psh';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const length = 24;
/** Bytes from here on would favour the first letters of the alphabet. */
const limit = 256 - (256 % alphabet.length);

export function newId(prefix: IdPrefix): string {
  return `${prefix}_${randomBase62(length)}`;
}

/** Drawn many at a time: asking for a few bytes costs as much as asking for many. */
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
    // Nobody finds in memory what has become somebody's secret.
    pool[used++] = 0;
    if (byte < limit) codes.push(alphabet.charCodeAt(byte % alphabet.length));
  }
  return String.fromCharCode(...codes);
}

/** A whole number in the ids' alphabet. */
export function toBase62(value: number): string {
  const digit = alphabet.charAt(value % alphabet.length);
  return value < alphabet.length ? digit : toBase62(Math.floor(value / alphabet.length)) + digit;
}
