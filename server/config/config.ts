import { z } from 'zod';
import { problemsIn } from './configProblems.ts';
import { turnProblems } from './turnProblems.ts';
import { settings, type Setting, type Values } from './settings.ts';
import { ConfigError } from '../../platform/ConfigError.ts';

export interface Config extends Values {
  isProduction: boolean;
  /** `--https`: a self-signed certificate, for phones on the same network. */
  https: boolean;
  /** `--demo-chain`: the server runs its own test chain, for trying out payments per request. */
  demoChain: boolean;
}

/** @throws ConfigError that lists all problems */
export function readConfig(
  env: NodeJS.ProcessEnv,
  flags: { https?: boolean; demoChain?: boolean } = {},
): Config {
  const problems: string[] = [];
  const wrong: RegExp[] = [];
  const values = Object.fromEntries(
    Object.entries(settings).map(([name, { schema, default: byDefault }]: [string, Setting<z.ZodType>]) => {
      // An empty variable counts as not set, because shells and compose files pass unset variables as empty ones.
      const parsed = z.safeParse(schema, env[name] === '' ? byDefault : (env[name] ?? byDefault));
      if (!parsed.success) {
        problems.push(`${name}: ${parsed.error.issues.map(describe).join('; ')}`);
        wrong.push(new RegExp(`\\b${name}\\b`));
      }
      return [name, parsed.data];
    }),
  ) as Values;
  const isProduction = values.NODE_ENV === 'production';
  if (isProduction && !env.SECRET_KEY)
    problems.push('SECRET_KEY: required in production. Generate one with: openssl rand -hex 32');
  if (isProduction && !env.PUBLIC_URL)
    problems.push('PUBLIC_URL: required in production. Set it to the address users open');
  const { https = false, demoChain = false } = flags;
  const dependent = [...problemsIn(values, env, isProduction), ...turnProblems(values, https)];
  // A setting whose value is wrong would look as if it were missing.
  problems.push(...dependent.filter((problem) => !wrong.some((name) => name.test(problem))));
  if (demoChain && isProduction)
    problems.push('--demo-chain: not allowed in production, because its keys are public');
  if (demoChain && (env.X402_PAY_TO || env.X402_NETWORKS))
    problems.push('--demo-chain: it sets X402_PAY_TO and X402_NETWORKS. Unset them');
  const { STRIPE_SECRET_KEY: stripeKey, STRIPE_WEBHOOK_SECRET: stripeSecret } = values;
  if (
    Boolean(stripeKey) !== Boolean(stripeSecret) &&
    Boolean(env.STRIPE_SECRET_KEY) !== Boolean(env.STRIPE_WEBHOOK_SECRET)
  )
    problems.push(
      'STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET: set both. Without the webhook secret, payments would add no credits',
    );
  if (problems.length > 0) throw new ConfigError(problems);
  // --https serves phones on the same network, so it listens on all addresses unless HOST is set.
  const HOST = https && !env.HOST ? '0.0.0.0' : values.HOST;
  return { ...values, HOST, isProduction, https, demoChain };
}

/** The message of an issue, with the place of a field in a list of objects (PLANS). */
const describe = ({ path: [item, ...fields], message }: z.core.$ZodIssue) =>
  fields.length === 0 ? message : `${fields.join('.')} of item ${Number(item) + 1}: ${message}`;

export function helpText(): string {
  const rows = Object.entries(settings).map(
    ([name, { help, default: byDefault }]: [string, Setting<z.ZodType>]) => {
      const shown = byDefault === undefined || byDefault === '' ? '' : ` (${byDefault})`;
      return `  ${name.padEnd(24)} ${help}${shown}`;
    },
  );
  return `Parley: calls, conferences, streams and messages between wallets.

  npm start                 runs the server
  npm start -- --https      uses a self-signed certificate, for phones on the same network
  npm start -- --demo-chain accepts payments per request (x402) on a local test chain, with play money
  npm start -- --check      checks the settings, lists risky ones, and exits
  npm start -- --help       shows this help

Settings are environment variables. Defaults are in brackets:
${rows.join('\n')}
`;
}
