import { expect, it } from 'vitest';
import { webhookEventTypes } from '../../../../../sdk/protocol/webhookEvents.ts';
import { allEvents, describeEvents } from './eventLabels.ts';

it('has a description of every event', () => {
  expect([...allEvents].sort()).toEqual([...webhookEventTypes].sort());
});

it('names whole groups of events by their titles', () => {
  expect(describeEvents(allEvents)).toBe('All events');
  expect(describeEvents(['recording.ready', 'recording.failed', 'room.ended'])).toBe(
    'room.ended, Recordings',
  );
});
