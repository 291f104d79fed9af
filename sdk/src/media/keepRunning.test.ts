import { expect, it } from 'vitest';
import { keepRunning } from './keepRunning.ts';

/* No browser of these tests has the interruptions of iOS. */
class InterruptedContext extends EventTarget {
  state: AudioContextState = 'interrupted';
  resumes = 0;
  resume() {
    this.resumes++;
    return Promise.reject(new DOMException('The phone rings.', 'InvalidStateError'));
  }
}

it('continues after a phone call, when the microphone is heard again or the interruption has ended', () => {
  const [context, track] = [new InterruptedContext(), new EventTarget()];
  const stop = keepRunning(context as never, track as never);
  track.dispatchEvent(new Event('unmute'));
  expect(context.resumes).toBe(1);
  context.state = 'suspended';
  context.dispatchEvent(new Event('statechange'));
  expect(context.resumes).toBe(2);
  context.state = 'running';
  context.dispatchEvent(new Event('statechange'));
  stop();
  context.state = 'interrupted';
  track.dispatchEvent(new Event('unmute'));
  expect(context.resumes).toBe(2);
});
