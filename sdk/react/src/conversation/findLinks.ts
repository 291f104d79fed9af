interface TextPart {
  part: string;
  /** The address that the part links to; null for plain text. */
  href: string | null;
}

/** Splits a text into plain text and web addresses. Only http and https become links. */
export function findLinks(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const match of text.matchAll(/\bhttps?:\/\/[^\s<>"]+/gi)) {
    const part = withoutEnd(match[0]);
    if (!URL.canParse(part)) continue;
    if (match.index > end) parts.push({ part: text.slice(end, match.index), href: null });
    parts.push({ part, href: new URL(part).href });
    end = match.index + part.length;
  }
  if (end < text.length) parts.push({ part: text.slice(end), href: null });
  return parts;
}

/** Removes punctuation that belongs to the sentence, but keeps brackets that the address itself opens. */
function withoutEnd(address: string): string {
  let rest = address;
  for (;;) {
    const last = rest.at(-1) ?? '';
    const opening = { ')': '(', ']': '[', '}': '{' }[last];
    const isOwnBracket = opening !== undefined && count(rest, opening) >= count(rest, last);
    if (isOwnBracket || !/[.,;:!?'’”)\]}…*_]/.test(last)) return rest;
    rest = rest.slice(0, -1);
  }
}

const count = (text: string, character: string) => text.split(character).length - 1;
