import { inTime } from '../../platform/inTime.ts';
import { checkAddress, checkOutgoing } from './checks/address.ts';
import { checkCertificates } from './checks/certificates.ts';
import { checkFfmpeg } from './checks/ffmpeg.ts';
import { checkDataDir, checkLimits, checkWorker } from './checks/machine.ts';
import { checkMedia } from './checks/media.ts';
import { checkDatabase, checkRedis, checkStorage } from './checks/stores.ts';
import { checkTurn } from './checks/turn.ts';
import type { Examined } from './Examined.ts';
import { Findings, type Finding } from './Finding.ts';

type Check = (examined: Examined, found: Findings) => Promise<void> | void;

/** The checks, in the order in which they are shown. */
const checks: Record<string, Check> = {
  Address: checkAddress,
  Certificates: checkCertificates,
  Media: checkMedia,
  TURN: checkTurn,
  Database: checkDatabase,
  Redis: checkRedis,
  Storage: checkStorage,
  ffmpeg: checkFfmpeg,
  'Media worker': checkWorker,
  Limits: checkLimits,
  DATA_DIR: checkDataDir,
  Outgoing: checkOutgoing,
};

const limitMs = 25_000;

/**
 * Runs all checks at the same time.
 * @param onDone called with the findings of each check, in the order of the checks
 */
export async function examine(
  examined: Examined,
  onDone: (check: string, findings: Finding[]) => void = () => undefined,
): Promise<Finding[]> {
  const running = Object.entries(checks).map(
    ([name, check]) => [name, runOne(name, check, examined)] as const,
  );
  const all: Finding[] = [];
  for (const [name, findings] of running) {
    const found = await findings;
    onDone(name, found);
    all.push(...found);
  }
  return all;
}

async function runOne(name: string, check: Check, examined: Examined): Promise<Finding[]> {
  const found = new Findings(name);
  const late = () => new Error(`not finished after ${limitMs / 1_000} s`);
  await inTime(limitMs, Promise.resolve(check(examined, found)), late).catch((error: unknown) =>
    found.error('npm run doctor', `This check failed: ${(error as Error).message}`),
  );
  return [...found.all];
}
