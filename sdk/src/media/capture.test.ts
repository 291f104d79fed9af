import { afterEach, expect, it, vi } from 'vitest';
import { capture, captureScreen } from './capture.ts';

afterEach(() => vi.unstubAllGlobals());

it('says what the page around a frame must allow, when the user was not asked', async () => {
  vi.stubGlobal('document', { featurePolicy: { allowsFeature: (name: string) => name === 'camera' } });
  const refuse = () => Promise.reject(new DOMException('Permission denied', 'NotAllowedError'));
  await expect(capture({ audio: true, video: true }, { getUserMedia: refuse })).rejects.toMatchObject({
    ...{ code: 'PERMISSION_DENIED', reason: 'blocked_by_page' },
    message: expect.stringContaining('<iframe allow="microphone">') as string,
  });
  await expect(capture({ video: true }, { getUserMedia: refuse })).rejects.toMatchObject({
    reason: 'permission_denied',
  });
  await expect(captureScreen({ audio: true }, { getDisplayMedia: refuse })).rejects.toMatchObject({
    ...{ reason: 'blocked_by_page', extra: { source: 'screen' } },
  });
});

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
