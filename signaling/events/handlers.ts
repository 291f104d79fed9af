import { defineHandler, type Handler } from '../socket/defineHandler.ts';
import type { EventLog } from './EventLog.ts';

export function eventHandlers(events: EventLog): Handler[] {
  return [
    defineHandler('session.catchUp', ({ context, payload }) => events.read(context.wallet, payload.after)),
  ];
}
