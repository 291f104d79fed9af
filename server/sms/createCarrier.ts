import type { Logger } from 'pino';
import type { DueRows } from '../../signaling/due/DueRows.ts';
import type { Config } from '../config.ts';
import type { Database } from '../database.ts';
import type { Carrier } from './Carrier.ts';
import { LoopbackCarrier } from './loopback/LoopbackCarrier.ts';

interface CarrierDeps {
  config: Pick<Config, 'CARRIER' | 'SMS_POOL_NUMBERS'>;
  db: Database;
  /** Not started yet. */
  due: DueRows;
  log: Logger;
}

/** The carrier the configuration names. */
export function createCarrier({ config, db, due, log }: CarrierDeps): Carrier {
  const pool = config.SMS_POOL_NUMBERS.length > 0 ? config.SMS_POOL_NUMBERS : undefined;
  switch (config.CARRIER) {
    case 'loopback':
      return new LoopbackCarrier({ db, due, log, pool });
  }
}
