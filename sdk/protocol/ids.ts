/** Every id is a prefix that says what it names, and 24 characters nobody can guess (142 bits). */
export type IdPrefix = 'call' | 'msg' | 'room' | 'str' | 'vm' | 'req' | 'ses' | 'acc' | 'par' | 'node';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const length = 24;
/** Bytes from here on would favour the first letters of the alphabet. */
const limit = 256 - (256 % alphabet.length);

export function newId(prefix: IdPrefix): string {
  return `${prefix}_${randomBase62(length)}`;
}

export function randomBase62(characters: number): string {
  let text = '';
  while (text.length < characters) {
    for (const byte of crypto.getRandomValues(new Uint8Array(characters + 8))) {
      if (byte < limit && text.length < characters) text += alphabet.charAt(byte % alphabet.length);
    }
  }
  return text;
}
