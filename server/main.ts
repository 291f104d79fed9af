import { constants } from 'node:os';
import { helpText, readConfig, type Config } from './config/config.ts';
import { ConfigError } from '../platform/ConfigError.ts';
import { configWarnings } from './config/configWarnings.ts';
import { limitGlobalFetch } from './outgoing/limitGlobalFetch.ts';
import { drainMsOf, startServer, type RunningServer } from './compose/startServer.ts';
import { stackOf } from '../platform/logger.ts';

/* The main program: reads the command line and the environment, and runs the server until it gets a signal. */

/** The maximum time for closing everything after the rooms have moved to other nodes. */
const shutdownLimitMs = 15_000;
/**
 * A second signal ends the program immediately, unless it comes within this time after the first one. It is then taken for the same signal,
 * because `npm start` forwards signals that the terminal or the service manager has sent to this process as well.
 */
const sameSignalMs = 1_000;

// Its errors, such as a full disk, would end the process.
process.stdout.on('error', () => {});

async function main(): Promise<void> {
  const flags = process.argv.slice(2);
  const unknown = flags.filter((flag) => !['--help', '--check', '--https', '--demo-chain'].includes(flag));
  if (unknown.length > 0)
    throw new ConfigError(
      unknown.map((flag) => `${flag}: unknown option. npm start -- --help lists all options`),
    );
  if (flags.includes('--help')) {
    process.stdout.write(helpText());
    return;
  }
  const config = readConfig(process.env, {
    https: flags.includes('--https'),
    demoChain: flags.includes('--demo-chain'),
  });
  if (flags.includes('--check')) {
    const warnings = configWarnings(config).map((warning) => `  - ${warning}\n`);
    process.stdout.write(
      `The configuration is valid.\n${warnings.length > 0 ? `Warnings:\n${warnings.join('')}` : ''}`,
    );
    return;
  }
  const { X402_FACILITATOR_URL: facilitator } = config;
  // The facilitator client of x402 always uses the global fetch.
  limitGlobalFetch(new Set(facilitator === undefined ? [] : [new URL(facilitator).origin]));
  await run(config);
}

/** Starts the server, and closes it on a signal: a running one or one that is still starting. */
async function run(config: Config): Promise<void> {
  const limitMs = drainMsOf(config) + shutdownLimitMs;
  const cancelled = new AbortController();
  let server: RunningServer | null = null;
  /** Closes everything, then ends the process. Ends the process even if closing takes longer than the limit. */
  const end = (exitCode: number) => {
    setTimeout(() => process.exit(1), limitMs).unref();
    if (!server) return cancelled.abort(exitCode);
    server.close().then(
      () => process.exit(exitCode),
      () => process.exit(1),
    );
  };
  let askedAt: number | null = null;
  // Before the start, because process 1 of a container gets no signal that it does not handle, and a start may wait for minutes.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (askedAt === null) end(server ? 0 : 128 + constants.signals[signal]);
      else if (performance.now() - askedAt > sameSignalMs) process.exit(1);
      askedAt ??= performance.now();
    });
  }
  try {
    server = await startServer(config, () => end(1), cancelled.signal);
  } catch (error) {
    if (cancelled.signal.aborted) process.exit(cancelled.signal.reason as number);
    throw error;
  }
  // A program that reads the log of a server in production expects JSON lines only.
  if (config.LOG_PRETTY || !config.isProduction) process.stdout.write(server.greeting);
}

/**
 * The message of a plain Error is for the operator: a port in use, a database that cannot be reached. Other errors are bugs, so
 * their stack is printed.
 */
function couldNotStart(error: unknown): string {
  const isForOperator = error instanceof Error && error.constructor === Error;
  return `Parley could not start: ${isForOperator ? error.message : stackOf(error)}`;
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof ConfigError ? error.message : couldNotStart(error)}\n`);
  process.exit(1);
});
