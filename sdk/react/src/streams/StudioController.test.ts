import { ParleyError, type Parley } from '@parley/sdk';
import { expect, it } from 'vitest';
import { Services } from '../core/Services.ts';
import { StudioController, type LiveChoice } from './StudioController.ts';

/* In a test without media, the client is a fake: it says what the device sends. */

const choice: LiveChoice = { source: 'screen', audio: true, quality: '720p' };

/** The studio of a host. */
function studio() {
  const device: { local: MediaStream | null; refuses: ParleyError | null } = { local: null, refuses: null };
  const handlers = new Map<string, (payload: unknown) => void>();
  const start = () => {
    if (device.refuses) return Promise.reject(device.refuses);
    device.local = { getVideoTracks: () => [] } as unknown as MediaStream;
    return Promise.resolve();
  };
  const client = {
    on: (name: string, handler: (payload: unknown) => void) => {
      handlers.set(name, handler);
      return () => undefined;
    },
    streaming: { start },
    media: { localStream: () => device.local },
  };
  const controller = new StudioController(new Services(client as unknown as Parley), 'str_1');
  const fail = (error: Error) => handlers.get('media:failed')?.({ id: 'str_1', error });
  return { device, controller, fail };
}

it('still shows that the stream is sent after the user has chosen no other screen', async () => {
  const { device, controller } = studio();
  await controller.goLive(choice);
  device.refuses = new ParleyError('PERMISSION_DENIED', 'No screen was chosen.');
  // The screen has ended, and its microphone is still sent.
  await controller.toggleVideo();
  expect(controller.store.get()).toMatchObject({ sending: 'yes', choice });
  expect(controller.isSending).toBe(true);
});

it('shows that nothing is sent after a start that failed', async () => {
  const { device, controller } = studio();
  device.refuses = new ParleyError('PERMISSION_DENIED', 'The camera was refused.');
  await controller.goLive(choice);
  expect(controller.store.get()).toMatchObject({ sending: 'no' });
});

it('keeps the picture visible when only the microphone is lost', async () => {
  const { controller, fail } = studio();
  await controller.goLive(choice);
  fail(new ParleyError('NOT_FOUND', 'There is no microphone.', { extra: { source: 'microphone' } }));
  expect(controller.store.get().mediaFailed).toBe(false);
  fail(new ParleyError('NOT_FOUND', 'The room is gone.'));
  expect(controller.store.get().mediaFailed).toBe(true);
});
