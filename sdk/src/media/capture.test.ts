import { expect, it } from 'vitest';
import { captureScreen } from './capture.ts';

it.each([
  ['NotAllowedError', 'PERMISSION_DENIED'],
  ['InvalidStateError', 'PERMISSION_DENIED'],
  ['NotReadableError', 'CONFLICT'],
  ['NotFoundError', 'NOT_FOUND'],
])('speaks of the screen, and not of a camera, when the browser shares none (%s)', async (name, code) => {
  const getDisplayMedia = () => Promise.reject(new DOMException('refused', name));
  const message = expect.not.stringMatching(/camera|microphone/) as string;
  await expect(captureScreen({ audio: true }, { getDisplayMedia })).rejects.toMatchObject({
    ...{ code, message, extra: { source: 'screen' } },
  });
});
