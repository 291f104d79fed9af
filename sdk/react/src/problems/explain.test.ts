import { ParleyError } from '@parley/sdk';
import { expect, it } from 'vitest';
import { explain, isOwnRefusal } from './explain.ts';

/** The error of the SDK when a browser shares no screen. */
const notShared = (message: string) =>
  new ParleyError('PERMISSION_DENIED', 'The screen is not allowed.', {
    cause: new DOMException(message, 'NotAllowedError'),
    extra: { source: 'screen' },
  });

it.each([
  ['Chromium', 'Permission denied by user'],
  ['Firefox', 'The request is not allowed by the user agent or the platform in the current context.'],
  [
    'Safari',
    'The request is not allowed by the user agent or the platform in the current context, possibly because the user denied permission.',
  ],
])('knows that the user has closed the choice of a screen in %s', (_, message) => {
  expect(isOwnRefusal(notShared(message))).toBe(true);
});

it('says nothing about a camera when the system does not let the browser share the screen', () => {
  const error = notShared('Permission denied by system');
  expect(isOwnRefusal(error)).toBe(false);
  expect(explain(error)).toMatchObject({
    title: 'The screen is not shared',
    advice: 'The screen is not allowed.',
  });
});

it('explains a blocked camera in each browser', () => {
  const message = 'The request is not allowed by the user agent or the platform in the current context.';
  const error = new ParleyError('PERMISSION_DENIED', 'Refused.', {
    cause: new DOMException(message, 'NotAllowedError'),
  });
  expect(isOwnRefusal(error)).toBe(false);
  expect(explain(error).title).toBe('The camera or microphone is blocked');
});
