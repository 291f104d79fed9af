import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CleanUp } from '../../test/harness/nodes/embeddedPostgres/support.ts';
import { GuardedServer } from './GuardedServer.ts';

const cleanUp = new CleanUp();
let clusterDir: string;

beforeEach(async () => {
  clusterDir = await cleanUp.temporaryFolder();
});
afterEach(() => cleanUp.run());

/** Starts a program that prints what PostgreSQL prints while it recovers from a crash: its progress every half second, and then that it is ready. */
async function start({ lines, silenceMs, log }: { lines: number; silenceMs: number; log?: string[] }) {
  const postgres = join(clusterDir, 'recovering');
  await writeFile(
    postgres,
    `#!${process.execPath}
    process.on('SIGINT', () => process.exit(0));
    let printed = 0;
    const timer = setInterval(() => {
      const isDone = printed++ === ${lines};
      if (isDone) clearInterval(timer);
      console.error(isDone ? 'LOG:  database system is ready to accept connections' : 'LOG:  redo in progress, elapsed time: ' + printed + '0.00 s');
    }, 500);
    setInterval(() => {}, 60_000);`,
  );
  await chmod(postgres, 0o700);
  const logger = pino({ level: 'info' }, { write: (line: string) => void log?.push(line) });
  const server = await GuardedServer.start({ postgres, clusterDir, account: undefined, logger, silenceMs });
  cleanUp.add(() => server.stop());
}

it('waits for a server that recovers for a long time, and logs its progress', async () => {
  const log: string[] = [];
  await start({ lines: 5, silenceMs: 2_000, log });
  expect(log.filter((line) => line.includes('redo in progress'))).toHaveLength(5);
});

it('gives up a server that prints nothing', async () => {
  await expect(start({ lines: 5, silenceMs: 50 })).rejects.toThrow('it printed nothing for 0.05 s');
});
