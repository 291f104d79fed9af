import type { RequestHandler } from 'express';
import type { Database } from '../../platform/database/database.ts';
import type { MessageReader } from './messaging/MessageReader.ts';
import type { NumberCatalogue } from './numbers/NumberCatalogue.ts';
import type { NumberOrders } from './numbers/NumberOrders.ts';
import type { NumberService } from './numbers/NumberService.ts';
import type { TelephonyEvents } from './sms/TelephonyEvents.ts';
import type { TextService } from './sms/TextService.ts';

export interface Telephony {
  texts: TextService;
  messages: MessageReader;
  numbers: NumberService;
  orders: NumberOrders;
  catalogue: NumberCatalogue;
  events: TelephonyEvents;
  db: Database;
  /** Handlers for the carrier’s HTTP callbacks, by their path below /callbacks. */
  callbacks: Record<string, RequestHandler>;
  /** Rejects while the carrier cannot be reached. */
  check(): Promise<void>;
  /** Connects to the carrier. Called before the scheduled jobs start. */
  start(): Promise<void>;
  /** Waits until the carrier has answered for all texts that are being submitted. */
  close(): Promise<void>;
}
