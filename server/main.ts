import { ConfigError, helpText, readConfig } from './config.ts';
import { startServer } from './startServer.ts';

/* The program: reads the command line and the environment, runs the server, and ends when it is told to. */

const shutdownLimitMs = 15_000;

async function main(): Promise<void> {
  const flags = new Set(process.argv.slice(2));
  if (flags.has('--help')) {
    process.stdout.write(helpText());
    return;
  }
  const server = await startServer(readConfig(process.env, { https: flags.has('--https') }));
  const stop = (signal: NodeJS.Signals) => {
    // A second signal, or a part that does not let go, ends it at once.
    process.once(signal, () => process.exit(1));
    setTimeout(() => process.exit(1), shutdownLimitMs).unref();
    server.close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  process.stdout.write(server.greeting);
}

main().catch((error: unknown) => {
  const text =
    error instanceof ConfigError
      ? error.message
      : `Parley could not start: ${String((error as Error).stack ?? error)}`;
  process.stderr.write(`${text}\n`);
  process.exit(1);
});
