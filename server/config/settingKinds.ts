/* What settings may be, as they stand in the environment: text, and what it means. */

import { isIP } from 'node:net';
import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { originOf } from './originOf.ts';
import { evmAddress, type EvmAddress } from '../../sdk/protocol/common.ts';

/** Decimal digits, and a fraction perhaps: not what else JavaScript takes for a number (0x50, 1e3, a blank). */
export const number = z
  .string()
  .regex(/^\d{1,9}(\.\d{1,3})?$/, { error: 'not a number', abort: true })
  .transform(Number);
export const port = number.pipe(z.int().min(1).max(65_535));
/** `19000-19999` */
export const portRange = z
  .string()
  .regex(/^\d{1,5}-\d{1,5}$/, { error: 'a range of ports is its first, -, and its last', abort: true })
  .transform((text) => {
    const [min = 0, max = 0] = text.split('-').map(Number);
    return { min, max };
  })
  .refine(({ min, max }) => min >= 1 && min <= max && max <= 65_535, {
    error: 'a range of ports begins with the lower one, and ends at 65535 at the latest',
  });
/** A provider's API: no slash at its end. */
export const apiUrl = z
  .url({ protocol: /^https?$/, error: 'an http or https address' })
  .transform((text) => text.replace(/\/+$/, ''));
export const seconds = number.pipe(z.number().positive().max(86_400));
export const count = number.pipe(z.int().positive());
export const workers = number.pipe(z.int().min(1).max(256));
export const flag = z.enum(['true', 'false']).transform((text) => text === 'true');
/** As a browser writes it: lower case, no path, no standard port. */
export const origin = z
  .string()
  .refine(isOrigin, {
    error: ({ input }) => `${String(input)} is no origin: http or https, a host, perhaps a port, no path`,
    abort: true,
  })
  .transform((text) => new URL(text).origin);
/**
 * An origin that may use this server: of a page, or of an app shell (`capacitor://localhost`, `app://parley`). `null` is what pages
 * without an origin send: sandboxed frames, local files.
 */
export const allowedOrigin = z
  .string()
  .refine((text) => text === 'null' || isOrigin(text) || isShellOrigin(text), {
    error: ({ input }) =>
      `${String(input)} is no origin: a scheme, ://, a host, perhaps a port, no path (https://app.example.org, capacitor://localhost), or null`,
    abort: true,
  })
  .transform((text) => (text === 'null' ? text : originOf(new URL(text))));
export const items = (text: string) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);
export const list = z.string().transform(items);
/** `1=https://rpc.example.org,137=…` */
export const chains = list.pipe(
  z.array(
    z
      .string()
      .regex(/^[1-9]\d{0,14}=https?:\/\/\S+$/, {
        error: 'a chain is its id, =, and the address of its RPC',
        abort: true,
      })
      .transform((text) => ({
        chainId: Number(text.slice(0, text.indexOf('='))),
        url: text.slice(text.indexOf('=') + 1),
      })),
  ),
);
/** Where payments are taken, and in which token: USDC unless it is named. */
export interface PaymentNetwork {
  /** CAIP-2. */
  network: `eip155:${number}`;
  chainId: number;
  token: EvmAddress | null;
}
/** `eip155:8453,eip155:31337=0x…` */
export const paymentNetworks = list.pipe(
  z.array(
    z
      .string()
      .regex(/^eip155:[1-9]\d{0,14}(=0x[0-9a-fA-F]{40})?$/, {
        error: 'a network is eip155: and the chain’s id, and perhaps = and the address of a token',
        abort: true,
      })
      .transform((text): PaymentNetwork => {
        const [network = '', token] = text.split('=');
        const chainId = Number(network.slice('eip155:'.length));
        return {
          network: `eip155:${chainId}`,
          chainId,
          token: token === undefined ? null : evmAddress.parse(token.toLowerCase()),
        };
      }),
  ),
);
export const privateKey = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, { error: 'a private key is 0x and 64 hexadecimal digits' })
  .transform((text) => text as `0x${string}`);
export const phoneNumbers = list.pipe(
  z.array(z.string().regex(/^\+[1-9]\d{6,14}$/, { error: 'a phone number is + and 7 to 15 digits (E.164)' })),
);
/** What stands in it is not repeated: there is a password in it. */
export const smscUrl = z.string().refine(isSmscUrl, {
  error:
    'not smpp://system-id:password@host:port, or smpps://… (signs like @ and / in the password as %40 and %2F)',
});
/** `DE,FR`, or `*` for all. */
export const countries = list.pipe(
  z.array(z.string().regex(/^([A-Z]{2}|\*)$/, { error: 'a country is two capital letters; * is every one' })),
);
/** `US=2,*=10`: whole credits per segment. */
export const pricesByCountry = list.pipe(
  z
    .array(
      z.string().regex(/^([A-Z]{2}|\*)=[1-9]\d{0,4}$/, {
        error: 'a price is a country (or *), =, and whole credits',
      }),
    )
    .transform((given) =>
      Object.fromEntries(
        given.map((item): [string, number] => [item.split('=')[0] ?? '', Number(item.split('=')[1])]),
      ),
    ),
);
/** `5,300`: seconds. */
export const delays = list.pipe(z.array(seconds).min(1, { error: 'at least one delay in seconds' }).max(20));
export const planSettings = z.strictObject({
  id: z.string().regex(/^[a-z0-9_-]{1,32}$/, { error: 'a plan’s id is up to 32 of a-z, 0-9, _ and -' }),
  name: z.string().min(1).max(64),
  monthlyCredits: z.int().min(0).max(100_000_000),
  price: z.string().regex(/^\d{1,6}\.\d\d$/, { error: 'a price is dollars and cents in quotes: "9.00"' }),
  leakSearches: z.int().min(0).max(1_000_000).default(0),
});
export const plansInJson = z
  .string()
  .transform((text, context) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      context.addIssue('not JSON');
      return z.NEVER;
    }
  })
  .pipe(z.array(planSettings).refine(haveOwnIds, { error: 'two plans have the same id' }));
/** Sockets are opened on it, also by the media workers, which know no names. */
export const listenAddress = z
  .string()
  .transform((text) => (text === 'localhost' ? '127.0.0.1' : text))
  .refine((text) => isIP(text) !== 0, { error: 'an IP address of this machine' });
/** What Express takes for `trust proxy`. */
export const trustedProxies = z
  .string()
  .refine((text) => /^\d{1,2}$/.test(text) || items(text).every(isNetwork), {
    error: 'a number of proxies, or addresses and networks by commas (10.0.0.0/8, loopback)',
    abort: true,
  })
  .transform((text) => (/^\d+$/.test(text) ? Number(text) : items(text)));

export function haveOwnIds(plans: { id: string }[]): boolean {
  return new Set(plans.map(({ id }) => id)).size === plans.length;
}

export function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, pathname, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && `${username}${password}${search}${hash}` === '' && pathname === '/';
}

/** What no app shell has as its scheme: browsers give these no origin, or another meaning. */
const noShells = new Set(['about', 'blob', 'data', 'file', 'ftp', 'javascript', 'ws', 'wss']);

function isShellOrigin(text: string): boolean {
  const found = /^(?<scheme>[a-z][a-z0-9+.-]{0,30}):\/\/[a-z0-9][a-z0-9._-]{0,252}(:\d{1,5})?\/?$/i.exec(
    text,
  );
  const scheme = found?.groups?.['scheme']?.toLowerCase();
  return scheme !== undefined && !/^https?$/.test(scheme) && !noShells.has(scheme) && URL.canParse(text);
}

export function isSmscUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, hostname, pathname, search, hash } = new URL(text);
  const isWhole = hostname !== '' && username !== '' && password !== '';
  return /^smpps?:$/.test(protocol) && isWhole && /^\/?$/.test(pathname) && search + hash === '';
}

function isNetwork(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
  const [address = '', prefix, ...more] = text.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
}

/** What jsonwebtoken verifies with a public key. None that takes a shared secret, and not `none`. */
export const asymmetricAlgorithm = z.enum([
  ...(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512'] as const),
]);
export const webAddress = z.url({ protocol: /^https?$/, error: 'an http or https address' }).max(2_048);

/** What stands there, or in the file that is named there: keys of several lines are easier kept in files. */
const textOrFile = (looksInline: RegExp) =>
  z.string().transform((text, context) => {
    if (looksInline.test(text)) return text;
    try {
      return readFileSync(text, 'utf8');
    } catch {
      context.addIssue(`there is no readable file ${text}`);
      return z.NEVER;
    }
  });

const isKeyOf = (type: 'ec' | 'rsa') => (pem: string) => {
  try {
    return createPrivateKey(pem).asymmetricKeyType === type;
  } catch {
    return false;
  }
};

/** As Google gives it for a service account. */
const serviceAccountJson = z.object({
  project_id: z.string().regex(/^[a-z0-9-]{1,64}$/),
  client_email: z.string().min(1),
  private_key: z.string().refine(isKeyOf('rsa')),
  private_key_id: z.string().optional(),
  token_uri: webAddress,
});
export type ServiceAccount = z.infer<typeof serviceAccountJson>;
export const serviceAccount = textOrFile(/^\s*\{/).transform((text, context) => {
  try {
    return serviceAccountJson.parse(JSON.parse(text));
  } catch {
    // What is wrong with it is not told: it holds a key.
    context.addIssue(
      'not the JSON of a service account (project_id, client_email, private_key, token_uri), or the path of a file with it',
    );
    return z.NEVER;
  }
});
/** As Apple gives it: a .p8 file. */
export const apnsKey = textOrFile(/^\s*-----BEGIN/).refine(isKeyOf('ec'), {
  error: 'not a key of APNs (a .p8 file), or the path of one',
});
