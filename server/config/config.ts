import { z } from 'zod';
import {
  carrierProblems,
  clusterProblems,
  fileProblems,
  transcriptionProblems,
  driverProblems,
  portProblems,
  paymentProblems,
  productionProblems,
  providerProblems,
} from './configProblems.ts';
import { settings, type Setting, type Values } from './settings.ts';
import { ConfigError } from '../../platform/ConfigError.ts';

export interface Config extends Values {
  isProduction: boolean;
  /** `--https`: a self-signed certificate, for phones on the same network. */
  https: boolean;
  /** `--demo-chain`: a chain of its own, to try payments per request. */
  demoChain: boolean;
}

/** @throws ConfigError with all problems at once */
export function readConfig(
  env: NodeJS.ProcessEnv,
  flags: { https?: boolean; demoChain?: boolean } = {},
): Config {
  const problems: string[] = [];
  const values = Object.fromEntries(
    Object.entries(settings).map(([name, { schema, default: byDefault }]: [string, Setting<z.ZodType>]) => {
      // An empty variable is one that is not set: that is how shells and compose files write it.
      const parsed = z.safeParse(schema, env[name] === '' ? byDefault : (env[name] ?? byDefault));
      if (!parsed.success)
        problems.push(`${name}: ${parsed.error.issues.map((issue) => issue.message).join('; ')}`);
      return [name, parsed.data];
    }),
  ) as Values;
  const isProduction = values.NODE_ENV === 'production';
  if (isProduction && !env.SECRET_KEY)
    problems.push('SECRET_KEY: production needs one (openssl rand -hex 32 makes one)');
  if ((values.TURN_URLS?.length ?? 0) > 0 && !values.TURN_SECRET)
    problems.push('TURN_SECRET: TURN_URLS needs it');
  if (isProduction && !env.PUBLIC_URL) problems.push('PUBLIC_URL: production needs the address users open');
  if (isProduction) problems.push(...productionProblems(values));
  const { https = false, demoChain = false } = flags;
  problems.push(
    ...clusterProblems(values),
    ...portProblems(values),
    ...paymentProblems(values),
    ...driverProblems(values),
    ...carrierProblems(values),
  );
  if (demoChain && isProduction)
    problems.push('--demo-chain: not in production, its keys are known to everybody');
  if (demoChain && (env.X402_PAY_TO || env.X402_NETWORKS))
    problems.push('--demo-chain: it brings its own X402 settings, unset X402_PAY_TO and X402_NETWORKS');
  const { STRIPE_SECRET_KEY: stripeKey, STRIPE_WEBHOOK_SECRET: stripeSecret } = values;
  if (
    Boolean(stripeKey) !== Boolean(stripeSecret) &&
    Boolean(env.STRIPE_SECRET_KEY) !== Boolean(env.STRIPE_WEBHOOK_SECRET)
  )
    problems.push(
      'STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET: each needs the other, or money comes and credits do not',
    );
  problems.push(
    ...fileProblems(values),
    ...transcriptionProblems(values),
    ...providerProblems(values, env, isProduction),
  );
  if (problems.length > 0) throw new ConfigError(problems);
  // Without a word on the address, --https is for the phones on this network.
  const HOST = https && !env.HOST ? '0.0.0.0' : values.HOST;
  return { ...values, HOST, isProduction, https, demoChain };
}

export function helpText(): string {
  const rows = Object.entries(settings).map(
    ([name, { help, default: byDefault }]: [string, Setting<z.ZodType>]) => {
      const shown = byDefault === undefined || byDefault === '' ? '' : ` (${byDefault})`;
      return `  ${name.padEnd(24)} ${help}${shown}`;
    },
  );
  return `Parley: calls, conferences, streams and messages between wallets.

  npm start                 runs the server
  npm start -- --https      serves with a self-signed certificate, for phones on the same network
  npm start -- --demo-chain takes payments per request (x402) on a chain of its own, with play money
  npm start -- --check      checks the settings, warns of what is risky, and ends
  npm start -- --help       shows this

Settings are environment variables (the default in brackets):
${rows.join('\n')}
`;
}
