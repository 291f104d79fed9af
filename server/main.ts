import { helpText, readConfig } from './config/config.ts';
import { ConfigError } from '../platform/ConfigError.ts';
import { configWarnings } from './config/configWarnings.ts';
import { limitGlobalFetch } from './outgoing/limitGlobalFetch.ts';
import { startServer, type RunningServer } from './compose/startServer.ts';

/* The main program: reads the command line and the environment, and runs the server until it gets a signal. */

/** The maximum time for closing everything after the rooms have moved to other nodes. */
const shutdownLimitMs = 15_000;
/**
 * A second signal ends the program immediately, unless it comes within this time after the first one. It is then taken for the same signal,
 * because `npm start` forwards signals that the terminal or the service manager has sent to this process as well.
 */
const sameSignalMs = 1_000;

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
  const limitMs = config.DRAIN_SECONDS * 1_000 + shutdownLimitMs;
  const server = await startServer(config, () => end(server, 1, limitMs));
  let askedAt: number | null = null;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (askedAt === null) end(server, 0, limitMs);
      else if (performance.now() - askedAt > sameSignalMs) process.exit(1);
      askedAt ??= performance.now();
    });
  }
  process.stdout.write(server.greeting);
}

/** Closes everything, then ends the process. Ends the process even if closing takes longer than the limit. */
function end(server: RunningServer, exitCode: number, limitMs: number): void {
  setTimeout(() => process.exit(1), limitMs).unref();
  server.close().then(
    () => process.exit(exitCode),
    () => process.exit(1),
  );
}

main().catch((error: unknown) => {
  const text =
    error instanceof ConfigError
      ? error.message
      : `Parley could not start: ${String((error as Error).stack ?? error)}`;
  process.stderr.write(`${text}\n`);
  process.exit(1);
});
