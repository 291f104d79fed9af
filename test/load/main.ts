import { checkAllowed } from './allowed.ts';
import { readOptions, usage, UsageError } from './options.ts';
import { textOf } from './report/LoadReport.ts';
import { runLoad } from './runLoad.ts';

/* `npm run load -- <server> [options]`: see options.ts and docs/guides/load-testing.md. */

async function main(): Promise<number> {
  try {
    const options = readOptions(process.argv.slice(2), process.env);
    if (!options) {
      process.stdout.write(usage);
      return 0;
    }
    await checkAllowed(options);
    const interrupted = new AbortController();
    process.on('SIGINT', () => interrupt(interrupted));
    process.on('SIGTERM', () => interrupt(interrupted));
    process.stderr.write(
      `Loading ${options.server.origin} for ${options.seconds} s. Ctrl-C ends it early.\n`,
    );
    const report = await runLoad(options, interrupted.signal);
    process.stdout.write(options.json ? `${JSON.stringify(report, null, 1)}\n` : textOf(report));
    return report.failed === 0 ? 0 : 1;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\nnpm run load -- --help lists the options.\n`);
    return 2;
  }
}

/** npm passes on a signal that the terminal has sent already, so a second one within this time is the same one. */
const sameSignalMs = 1_000;
let interruptedAt: number | null = null;

/** The first signal ends the load and prints the report; a second one ends the program. */
function interrupt(interrupted: AbortController): void {
  if (interruptedAt !== null && performance.now() - interruptedAt > sameSignalMs) process.exit(130);
  if (interruptedAt !== null) return;
  interruptedAt = performance.now();
  process.stderr.write('Ending the load and removing what it has made …\n');
  interrupted.abort();
}

process.exit(await main());
