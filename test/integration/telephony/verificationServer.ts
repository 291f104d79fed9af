import { startSpendingServer, type SpendingServer } from '../money/spendingServer.ts';
import { ScriptedCarrier } from './ScriptedCarrier.ts';
import { withCodes } from './withCodes.ts';

/** A server with verifications. `onSend` is called with each text that the carrier gets. */
export function startVerificationServer(
  dataDir: string,
  onSend: (text: string, to: string) => void,
  settings: Record<string, string> = {},
): Promise<SpendingServer> {
  const carrier = new ScriptedCarrier(`${dataDir}/given`, undefined, onSend);
  return startSpendingServer({ dataDir, settings, carrier, isSingleNode: true, provide: withCodes });
}
