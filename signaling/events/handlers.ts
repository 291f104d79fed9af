import { defineHandler, type Handler } from '../socket/defineHandler.ts';
import type { EventLog } from './EventLog.ts';

export function eventHandlers(events: EventLog): Handler[] {
  return [
    defineHandler('session.catchUp', ({ caller, payload }) => events.read(caller.wallet, payload.after)),
  ];
}
