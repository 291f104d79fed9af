import { parseArgs } from 'node:util';
import { CommandError } from '../../platform/CommandError.ts';
import { ConfigError } from '../../platform/ConfigError.ts';
import { createExamined } from '../compose/createExamined.ts';
import { readConfig } from '../config/config.ts';
import { configWarnings } from '../config/configWarnings.ts';
import { examine } from '../doctor/examine.ts';
import type { Finding } from '../doctor/Finding.ts';
import { runCommand } from './openForCommand.ts';

/* `npm run doctor` finds what is wrong with an installation, whether the server is running or stopped. It changes nothing. */

const usage = `Usage:
  npm run doctor                 checks this installation, with the settings of npm start
  npm run doctor -- --json       prints the findings as JSON
  npm run doctor -- --https      for a server that runs with --https
The exit code is 1 if there are errors.
`;

async function main(): Promise<string> {
  const { json, https } = parseOptions();
  const print = (text: string) => void (json || process.stdout.write(text));
  const findings = await find({ https, print });
  const errors = findings.filter(({ level }) => level === 'error').length;
  const warnings = findings.filter(({ level }) => level === 'warning').length;
  if (errors > 0) process.exitCode = 1;
  if (json) return `${JSON.stringify({ errors, warnings, findings }, null, 2)}\n`;
  return `\n${errors === 0 && warnings === 0 ? 'Nothing is wrong.' : `${errors} errors, ${warnings} warnings.`}\n`;
}

function parseOptions(): { json: boolean; https: boolean } {
  try {
    const { json = false, https = false } = parseArgs({
      options: { json: { type: 'boolean' }, https: { type: 'boolean' } },
    }).values;
    return { json, https };
  } catch (error) {
    throw new CommandError(`${(error as Error).message}\n\n${usage}`);
  }
}

async function find({ https, print }: { https: boolean; print: (text: string) => void }): Promise<Finding[]> {
  const settings = readSettings(https);
  print(show('Settings', settings.findings));
  if (!settings.config) return settings.findings;
  const examined = await createExamined(settings.config);
  print(
    examined.server
      ? `The server is running (process ${examined.server.pid}).\n`
      : `The server is not running at ${examined.localUrl}.\n`,
  );
  const further = await examine(examined, (check, findings) => print(show(check, findings)));
  return [...settings.findings, ...further];
}

/** Problems of settings are findings too: each begins with the name of the setting. */
function readSettings(https: boolean) {
  const of =
    (level: Finding['level']) =>
    (message: string): Finding => {
      const change = /^[A-Z][A-Z0-9_]+(?=[:= ])/.exec(message)?.[0];
      return {
        check: 'Settings',
        level,
        message,
        change: change ?? (message.startsWith('Node ') ? 'Node.js' : 'NODE_ENV'),
      };
    };
  try {
    const config = readConfig(process.env, { https });
    const warnings = configWarnings(config).map(of('warning'));
    const fine: Finding = { check: 'Settings', level: 'ok', message: 'The settings are valid.' };
    return { config, findings: [fine, ...warnings] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { config: null, findings: error.problems.map(of('error')) };
  }
}

const marks = { ok: 'ok     ', warning: 'warning', error: 'ERROR  ' };

function show(check: string, findings: Finding[]): string {
  if (findings.length === 0) return '';
  const lines = findings.map(
    ({ level, message, change }) =>
      `  ${marks[level]}  ${message}${change ? `\n           change: ${change}` : ''}\n`,
  );
  return `${check}\n${lines.join('')}`;
}

runCommand(usage, main);
