import { describe, expect, it } from 'vitest';
import type { UploadFile } from '../platform/Platform.ts';
import { Recorder } from './Recorder.ts';

/** A recorder of an app, such as that of a phone, which writes a file. */
function phoneRecorder() {
  const calls: string[] = [];
  const createRecorder = () => ({
    start: () => {
      calls.push('start');
      return Promise.resolve<undefined>(undefined);
    },
    stop: () => {
      calls.push('stop');
      return Promise.resolve<UploadFile>({ uri: 'file:///recording.m4a' });
    },
  });
  return { calls, options: { createRecorder, open: () => Promise.reject(new Error('not used')) } };
}

describe('a recorder of the app', () => {
  it('records until stop()', async () => {
    const { calls, options } = phoneRecorder();
    const recorder = new Recorder({ maxSeconds: 60, ...options });
    const recording = recorder.run(() => calls.push('started'));
    await Promise.resolve();
    await Promise.resolve();
    await recorder.stop();
    expect(await recording).toEqual({ uri: 'file:///recording.m4a' });
    expect(calls).toEqual(['start', 'started', 'stop']);
  });

  it('records until the time limit', async () => {
    const { options } = phoneRecorder();
    expect(await new Recorder({ maxSeconds: 0.01, ...options }).run()).toHaveProperty('uri');
  });

  it('is stopped when onStart fails', async () => {
    const { calls, options } = phoneRecorder();
    const recorder = new Recorder({ maxSeconds: 60, ...options });
    const failure = new Error('there is no such element');
    const recording = recorder.run(() => {
      throw failure;
    });
    await expect(recording).rejects.toBe(failure);
    expect(calls).toEqual(['start', 'stop']);
  });

  it('is stopped when the recording is cancelled', async () => {
    const { calls, options } = phoneRecorder();
    const recorder = new Recorder({ maxSeconds: 60, ...options });
    const recording = recorder.run();
    recorder.cancel(new Error('left'));
    await expect(recording).rejects.toThrow('left');
    expect(calls).toEqual(['start', 'stop']);
  });
});
