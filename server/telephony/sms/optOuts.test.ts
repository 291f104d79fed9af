import { expect, it } from 'vitest';
import { keywordIn, keywordReplies } from './optOuts.ts';
import { segmentsOf } from '../../../sdk/protocol/segments.ts';

it.each([
  ['STOP', 'stop'],
  ['stop', 'stop'],
  [' Stop!\n', 'stop'],
  ['“UNSUBSCRIBE”', 'stop'],
  ['cancel.', 'stop'],
  ['End', 'stop'],
  ['QUIT', 'stop'],
  ['Revoke', 'stop'],
  ['OPTOUT', 'stop'],
  ['Opt-out.', 'stop'],
  ['opt  out', 'stop'],
  ['Stop all!', 'stop'],
  ['arrêt', 'stop'],
  ['Arre\u0302t', 'stop'],
  ['start', 'start'],
  ['UNSTOP', 'start'],
  ['Help?', 'help'],
  ['stop it', null],
  ['please stop', null],
  ['nonstop', null],
  ['STOP STOP', null],
  ['opt out of this', null],
  ['', null],
  ['123', null],
])('reads %j as keyword %s', (text, keyword) => {
  expect(keywordIn(text)).toBe(keyword);
});

it('replies with one segment that is not a keyword itself', () => {
  for (const reply of Object.values(keywordReplies)) {
    expect(keywordIn(reply)).toBeNull();
    expect(segmentsOf(reply)).toEqual({ segments: 1, encoding: 'GSM-7' });
  }
});
