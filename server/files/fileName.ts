/** Controls, what can't be seen or turns the direction of writing, and halves of letters: none of it belongs into a name. */
const unwanted = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const longest = 200;

/** What an uploaded file is called: no folders, nothing that can't be seen. Null where nothing is left. */
export function cleanName(given: string | undefined): string | null {
  const last = (given ?? '').split(/[/\\]/).at(-1) ?? '';
  const clean = last
    .replace(unwanted, '')
    .replace(/[<>:"|?*]/g, '_')
    .trim()
    .replace(/^\.+/, '');
  return clean === '' ? null : [...clean].slice(-longest).join('');
}

/** Named as what it is: whatever a person saves is opened by its ending. */
export function withExtension(name: string | null, extensions: readonly string[]): string | null {
  if (name === null || extensions.some((each) => name.toLowerCase().endsWith(`.${each}`))) return name;
  return `${name}.${extensions[0] ?? 'bin'}`;
}

/** For a header (RFC 6266). */
export function contentDisposition(name: string | null): string {
  if (name === null) return 'inline';
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16)}`,
  );
  return `inline; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
