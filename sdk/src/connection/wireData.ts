import type { JsonValue } from '../../protocol/data.ts';
import { invalid } from './guard.ts';

/* Data messages carry either a JSON value or bytes in base64. A JSON value is the app's own and arrives unchanged, so fromWire() must not see it. */

/** @throws ParleyError VALIDATION_ERROR if this is neither bytes nor a JSON value */
export function toWireData(data: unknown): { json: JsonValue } | { bytes: string } {
  if (data instanceof ArrayBuffer || ArrayBuffer.isView(data)) {
    // Unlike instanceof, this recognises the Uint8Array of another frame.
    if (Object.prototype.toString.call(data) === '[object Uint8Array]')
      return { bytes: toBase64(data as Uint8Array) };
    throw invalid('data', 'Send bytes as a Uint8Array.');
  }
  const text = textOf(data);
  if (text === undefined) throw invalid('data', 'data must be a Uint8Array or a JSON value.');
  return { json: JSON.parse(text) as JsonValue };
}

export const fromWireData = ({ json, bytes }: { json?: unknown; bytes?: string | undefined }) =>
  bytes === undefined ? (json as JsonValue) : fromBase64(bytes);

/** @returns undefined for a value that JSON does not have, such as a function, a bigint or an object that contains itself */
function textOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

const toBase64 = (bytes: Uint8Array) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
const fromBase64 = (base64: string) => Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
