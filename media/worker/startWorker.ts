import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as mediasoup from 'mediasoup';
import type { types } from 'mediasoup';

/** The signals with which an operator, a terminal or a service manager ends a program. */
const endings = ['SIGINT', 'SIGTERM'] as const;
/** GNU env (coreutils 8.31) starts a program with these signals blocked. */
const blocking = '--block-signal=INT,TERM';
let canBlock: boolean | undefined;

/**
 * Starts a worker that ends in only two ways: by close(), or at the end of this process, which closes its channel. The program decides when
 * media stops, so neither mediasoup nor the worker itself may react to SIGINT or SIGTERM: mediasoup would close the worker within
 * milliseconds, and a worker also gets the signals that a terminal or systemd sends to every process of the program.
 */
export async function startWorker(workerBin: string): Promise<types.Worker> {
  // Otherwise the error would be that env has exited with 127.
  if (!existsSync(workerBin))
    throw new Error(
      `There is no media worker at ${workerBin}. Start with npm start, which installs it, or set MEDIASOUP_WORKER_BIN to its path.`,
    );
  const before = endings.map((signal) => process.rawListeners(signal));
  // createWorker() spawns the worker and installs its listeners before it returns.
  const starting = startedBlocked(workerBin, () => mediasoup.createWorker({ logLevel: 'warn', workerBin }));
  endings.forEach((signal, index) => {
    for (const listener of process.rawListeners(signal))
      if (!before[index]?.includes(listener)) process.removeListener(signal, listener as () => void);
  });
  return starting;
}

/**
 * Starts a worker with these signals blocked, where GNU env is available. It uses an option of mediasoup to start the worker through
 * another program, which is meant for Valgrind but works with any program that becomes the worker. Without GNU env (macOS, Alpine), a
 * worker ends when one of these signals is sent to all processes of the program.
 */
function startedBlocked<T>(workerBin: string, start: () => T): T {
  canBlock ??= spawnSync('env', [blocking, 'true']).status === 0;
  // env would treat a path with an equals sign as a variable.
  if (!canBlock || workerBin.includes('=') || process.env.MEDIASOUP_USE_VALGRIND) return start();
  process.env.MEDIASOUP_USE_VALGRIND = 'true';
  process.env.MEDIASOUP_VALGRIND_BIN = 'env';
  process.env.MEDIASOUP_VALGRIND_OPTIONS = blocking;
  try {
    return start();
  } finally {
    delete process.env.MEDIASOUP_USE_VALGRIND;
    delete process.env.MEDIASOUP_VALGRIND_BIN;
    delete process.env.MEDIASOUP_VALGRIND_OPTIONS;
  }
}
