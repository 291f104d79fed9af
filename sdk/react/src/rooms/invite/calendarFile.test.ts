import { describe, expect, it } from 'vitest';
import { calendarFile } from './calendarFile.ts';

const meeting = {
  name: 'Monday; morning, all',
  url: 'https://calls.example.org/rooms/room_1',
  startsAt: new Date('2026-01-31T09:30:00.000Z'),
  minutes: 45,
};
const file = calendarFile(meeting, new Date('2026-01-01T00:00:00Z'));

describe('a calendar file', () => {
  it('has the link, the start and the end in UTC', () => {
    expect(file).toContain('\r\nDTSTART:20260131T093000Z\r\n');
    expect(file).toContain('\r\nDTEND:20260131T101500Z\r\n');
    expect(file).toContain('\r\nURL:https://calls.example.org/rooms/room_1\r\n');
    expect(file.startsWith('BEGIN:VCALENDAR\r\nVERSION:2.0\r\n')).toBe(true);
  });

  it('escapes the separators of the format', () => {
    expect(file).toContain('\r\nSUMMARY:Monday\\; morning\\, all\r\n');
  });

  it('has no line of more than 75 bytes, and loses no character', () => {
    const name = 'Gespräch über Öl '.repeat(12).trim();
    const long = calendarFile({ ...meeting, name }, new Date());
    const lines = long.split('\r\n');
    expect(Math.max(...lines.map((line) => new TextEncoder().encode(line).length))).toBeLessThanOrEqual(75);
    expect(long.replace(/\r\n /g, '')).toContain(`SUMMARY:${name}`);
  });
});
