/* Schemas that parse the text of an environment variable into the value of a setting. */

import { isIP } from 'node:net';
import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { originOf } from './originOf.ts';
import { evmAddress, type EvmAddress } from '../../sdk/protocol/common.ts';

/** A text that is not empty. */
export const text = z.string().min(1);
/** A text that matches a pattern. */
export function matching(pattern: RegExp, error: string) {
  return z.string().regex(pattern, { error, abort: true });
}
/** How to reach the operator. */
export const contact = matching(
  /^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/,
  'use an address of the form mailto:… or https://…',
);
/** Decimal digits with an optional fraction. Other forms that JavaScript accepts (0x50, 1e3, a blank) are refused. */
export const number = matching(/^\d{1,9}(\.\d{1,3})?$/, 'not a number').transform(Number);
export const count = number.pipe(z.int().positive());
export const zeroOrMore = number.pipe(z.int().min(0));
export const port = number.pipe(z.int().min(1).max(65_535));
/** A range such as `19000-19999`. */
export const portRange = matching(/^\d{1,5}-\d{1,5}$/, 'use a port range of the form 19000-19999')
  .transform((text) => {
    const [min = 0, max = 0] = text.split('-').map(Number);
    return { min, max };
  })
  .refine(({ min, max }) => min >= 1 && min <= max && max <= 65_535, {
    error: 'a port range starts with the lower port and ends at 65535 or below',
  });
/** Base URL of a provider's API, without a slash at the end. */
export const apiUrl = z
  .url({ protocol: /^https?$/, error: 'use an http or https URL' })
  .transform((text) => text.replace(/\/+$/, ''));
export const seconds = number.pipe(z.number().positive().max(86_400));
/** A share, 0 to 1. */
export const ratio = number.pipe(z.number().min(0).max(1));
/** The largest number of media workers of a node. */
export const mostWorkers = 256;
export const workers = number.pipe(z.int().min(1).max(mostWorkers));
export const flag = z.enum(['true', 'false']).transform((text) => text === 'true');
/** An origin as browsers write it: lower case, no path, no standard port. */
export const origin = z
  .string()
  .refine(isOrigin, {
    error: ({ input }) =>
      `${String(input)} is not an origin. Use http or https, a host and an optional port, without a path`,
    abort: true,
  })
  .transform((text) => new URL(text).origin);
/**
 * An origin that may use this server. It belongs to a page or to an app shell (`capacitor://localhost`, `app://parley`). Pages without an
 * origin (sandboxed frames, local files) send `null`.
 */
export const allowedOrigin = z
  .string()
  .refine((text) => text === 'null' || isOrigin(text) || isShellOrigin(text), {
    error: ({ input }) =>
      `${String(input)} is not an origin. Use a scheme, a host and an optional port, without a path (https://app.example.org, capacitor://localhost), or null`,
    abort: true,
  })
  .transform((text) => (text === 'null' ? text : originOf(new URL(text))));
export const items = (text: string) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);
export const list = z.string().transform(items);
/** RPC URLs by chain id, such as `1=https://rpc.example.org,137=…`. */
export const chains = list.pipe(
  z.array(
    matching(/^[1-9]\d{0,14}=https?:\/\/\S+$/, 'use a chain id, = and an RPC URL (1=https://…)').transform(
      (text) => ({
        chainId: Number(text.slice(0, text.indexOf('='))),
        url: text.slice(text.indexOf('=') + 1),
      }),
    ),
  ),
);
/** Contract addresses by chain id, such as `1=0x…,31337=0x…`, or `none`. */
export const contractsByChain = z
  .string()
  .transform((text) => (text === 'none' ? [] : items(text)))
  .pipe(
    z.array(
      matching(
        /^[1-9]\d{0,14}=0x[0-9a-fA-F]{40}$/,
        'use a chain id, = and the address of a contract (1=0x…)',
      ).transform((text) => {
        const [chainId = '', address = ''] = text.split('=');
        return [Number(chainId), evmAddress.parse(address.toLowerCase())] as const;
      }),
    ),
  );
/** A network on which payments are accepted, and the token they are made in. */
export interface PaymentNetwork {
  /** CAIP-2 id. */
  network: `eip155:${number}`;
  chainId: number;
  /** null means USDC. */
  token: EvmAddress | null;
}
/** Networks, each with or without a token address, such as `eip155:8453,eip155:31337=0x…`. */
export const paymentNetworks = list.pipe(
  z.array(
    matching(
      /^eip155:[1-9]\d{0,14}(=0x[0-9a-fA-F]{40})?$/,
      'a network is eip155: and a chain id, optionally followed by = and a token address',
    ).transform((text): PaymentNetwork => {
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
export const privateKey = matching(
  /^0x[0-9a-fA-F]{64}$/,
  'a private key is 0x and 64 hexadecimal digits',
).transform((text) => text as `0x${string}`);
export const phoneNumbers = list.pipe(
  z.array(matching(/^\+[1-9]\d{6,14}$/, 'a phone number is + and 7 to 15 digits (E.164)')),
);
/** The error message does not repeat the value, because it contains a password. */
export const smscUrl = z.string().refine(isSmscUrl, {
  error:
    'not of the form smpp://system-id:password@host:port or smpps://… (write @ and / in the password as %40 and %2F)',
});
/** Countries such as `DE,FR`, or `*` for all. */
export const countries = list.pipe(
  z.array(matching(/^([A-Z]{2}|\*)$/, 'use two capital letters for a country, or * for all')),
);
/** Credits per segment by country, such as `US=2,*=10`. Only whole numbers are accepted. */
export const pricesByCountry = list.pipe(
  z
    .array(matching(/^([A-Z]{2}|\*)=[1-9]\d{0,4}$/, 'use a country (or *), = and a whole number of credits'))
    .transform((given) =>
      Object.fromEntries(
        given.map((item): [string, number] => [item.split('=')[0] ?? '', Number(item.split('=')[1])]),
      ),
    ),
);
/** Delays in seconds, such as `5,300`. */
export const delays = list.pipe(
  z.array(seconds).min(1, { error: 'set at least one delay in seconds' }).max(20),
);
export const planSettings = z.strictObject({
  id: matching(/^[a-z0-9_-]{1,32}$/, 'a plan id has 1 to 32 characters of a-z, 0-9, _ and -'),
  name: z.string().min(1).max(64),
  monthlyCredits: z.int().min(0).max(100_000_000),
  price: matching(/^\d{1,6}\.\d\d$/, 'a price is dollars and cents in quotes: "9.00"'),
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
/** An IP address and not a host name, because media workers listen on it too, and they do not resolve names. */
export const listenAddress = z
  .string()
  .transform((text) => (text === 'localhost' ? '127.0.0.1' : text))
  .refine((text) => isIP(text) !== 0, { error: 'use an IP address of this machine' });
/** An address that is announced to clients: without a scheme and a port. */
export const announcedAddress = z
  .string()
  .refine((text) => isIP(text) !== 0 || /^(?=.{1,253}$)[a-z0-9-]+(\.[a-z0-9-]+)*$/i.test(text), {
    error: ({ input }) =>
      `${String(input)} is not an address. Use IP addresses or host names, without a scheme and a port`,
  });
/** A URI as browsers accept it (RFC 7065). Any other makes all their calls fail. */
export const turnUrl = matching(
  /^turns?:([a-zA-Z0-9.-]+|\[[0-9a-fA-F:.]+\])(:\d{1,5})?(\?transport=(udp|tcp))?$/,
  'use addresses of the form turn:host:port or turns:host:port, with ?transport=udp or ?transport=tcp as needed',
);
/** The values Express accepts for `trust proxy`. */
export const trustedProxies = z
  .string()
  .refine((text) => /^\d{1,2}$/.test(text) || items(text).every(isNetwork), {
    error: 'use a number of proxies, or comma-separated addresses and networks (10.0.0.0/8, loopback)',
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

/** Schemes that no app shell can use, because browsers give them no origin or use them for something else. */
const otherSchemes = new Set(['about', 'blob', 'data', 'file', 'ftp', 'javascript', 'ws', 'wss']);

function isShellOrigin(text: string): boolean {
  const found = /^(?<scheme>[a-z][a-z0-9+.-]{0,30}):\/\/[a-z0-9][a-z0-9._-]{0,252}(:\d{1,5})?\/?$/i.exec(
    text,
  );
  const scheme = found?.groups?.['scheme']?.toLowerCase();
  return scheme !== undefined && !/^https?$/.test(scheme) && !otherSchemes.has(scheme) && URL.canParse(text);
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

/** The algorithms that jsonwebtoken verifies with a public key. Those with a shared secret and `none` are left out. */
export const asymmetricAlgorithm = z.enum([
  ...(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512'] as const),
]);
export const webAddress = z.url({ protocol: /^https?$/, error: 'use an http or https URL' }).max(2_048);

/** Reads the text from the value itself or from the file that it names. For a key of several lines, a file is more convenient. */
const textOrFile = (looksInline: RegExp) =>
  z.string().transform((text, context) => {
    if (looksInline.test(text)) return text;
    try {
      return readFileSync(text, 'utf8');
    } catch {
      // Without the text, which is the key itself if it is in quotes or lacks its first line.
      context.addIssue('neither the content nor the path of a file that can be read');
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

/** The fields that this server uses from the JSON file that Google issues for a service account. */
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
    // The message does not say which field is wrong, because the value contains a private key.
    context.addIssue(
      'not the JSON of a service account (project_id, client_email, private_key, token_uri) or the path of such a file',
    );
    return z.NEVER;
  }
});
/** An APNs key in the form in which Apple issues it (a .p8 file). */
export const apnsKey = textOrFile(/^\s*-----BEGIN/).refine(isKeyOf('ec'), {
  error: 'not an APNs key (a .p8 file) or the path of one',
});
