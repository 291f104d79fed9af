/** The bytes of a text in UTF-8. TextEncoder is missing in some versions of React Native. */
export function utf8(text: string): Uint8Array<ArrayBuffer> {
  // encodeURIComponent refuses half a surrogate pair.
  const wellFormed = text.replace(/[\ud800-\udfff]/gu, '\ufffd');
  const binary = encodeURIComponent(wellFormed).replace(/%(..)/g, (_, hex: string) =>
    String.fromCharCode(parseInt(hex, 16)),
  );
  return Uint8Array.from(binary, (char) => char.charCodeAt(0));
}
