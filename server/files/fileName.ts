import type { FileKind } from '../../sdk/protocol/files.ts';

/** Characters that do not belong in a name: control and invisible characters, direction overrides and lone surrogates. */
const unwanted = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const longest = 200;

/** Cleans the name of an upload: no folders and no invisible characters. Null if nothing is left. */
export function cleanName(given: string | undefined): string | null {
  const last = (given ?? '').split(/[/\\]/).at(-1) ?? '';
  const clean = last
    .replace(unwanted, '')
    .replace(/[<>:"|?*]/g, '_')
    .trim()
    .replace(/^\.+/, '');
  return clean === '' ? null : [...clean].slice(-longest).join('');
}

/** Adds the extension of the content's type, because systems open a saved file by its extension. @param extensions empty keeps the name */
export function withExtension(name: string | null, extensions: readonly string[]): string | null {
  const [usual] = extensions;
  if (name === null || usual === undefined) return name;
  return extensions.some((each) => name.toLowerCase().endsWith(`.${each}`)) ? name : `${name}.${usual}`;
}

/** The value of a Content-Disposition header (RFC 6266). */
export function contentDisposition(name: string | null, kind: FileKind): string {
  const where = kind === 'file' ? 'attachment' : 'inline';
  if (name === null) return where;
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16)}`,
  );
  return `${where}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
