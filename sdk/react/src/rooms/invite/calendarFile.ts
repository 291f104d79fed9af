interface Meeting {
  name: string;
  url: string;
  startsAt: Date;
  minutes: number;
}

/** The text of a calendar file (RFC 5545) with one event. @param now when the file is made */
export function calendarFile({ name, url, startsAt, minutes }: Meeting, now: Date): string {
  const endsAt = new Date(startsAt.getTime() + minutes * 60_000);
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Parley//Rooms//EN',
    'BEGIN:VEVENT',
    // The link and the start identify the event, so that the same event is not added twice.
    `UID:${stamp(startsAt)}-${url.replace(/[^\w.-]+/g, '-')}`,
    `DTSTAMP:${stamp(now)}`,
    `DTSTART:${stamp(startsAt)}`,
    `DTEND:${stamp(endsAt)}`,
    `SUMMARY:${escaped(name)}`,
    `LOCATION:${escaped(url)}`,
    `DESCRIPTION:${escaped(url)}`,
    `URL:${url}`,
    'END:VEVENT',
    'END:VCALENDAR',
  ];
  return lines.map(folded).join('\r\n') + '\r\n';
}

/** A moment in UTC, for example 20260131T093000Z. */
const stamp = (moment: Date) => moment.toISOString().replace(/[-:]|\.\d+/g, '');

const escaped = (text: string) => text.replace(/[\\;,]/g, '\\$&').replace(/\r?\n/g, '\\n');

/** Breaks a line into pieces of at most 75 bytes. Further pieces start with a space. */
function folded(line: string): string {
  const pieces: string[] = [];
  let piece = '';
  let bytes = 0;
  for (const character of line) {
    const size = new TextEncoder().encode(character).length;
    if (bytes + size > 75) {
      pieces.push(piece);
      piece = ' ';
      bytes = 1;
    }
    piece += character;
    bytes += size;
  }
  return [...pieces, piece].join('\r\n');
}

/** Makes the browser download a text as a file. */
export function download(text: string, name: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
