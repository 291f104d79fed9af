import { z } from 'zod';
import { evmAddress, walletAddress } from '../../../sdk/protocol/common.ts';
import {
  count,
  list,
  matching,
  number,
  origin,
  paymentNetworks,
  plansInJson,
  privateKey,
} from '../settingKinds.ts';
import { setting } from './setting.ts';

/** Credits, plans and payments per request. */
export const accountSettings = {
  SIGNUP_CREDITS: setting(
    number.pipe(z.int()).optional(),
    'credits of a new account; if not set, 500, but 0 in production, with a public PUBLIC_URL or HOST, and with a real carrier, eSIM, lookup or breach provider',
  ),
  PLANS: setting(
    plansInJson,
    'available plans, as JSON: [{"id","name","monthlyCredits","price","leakSearches"}]',
    '[]',
  ),
  X402_PAY_TO: setting(
    evmAddress.optional(),
    'wallet that receives payments per request (x402); X402_PAY_TO and X402_NETWORKS together enable them',
  ),
  X402_NETWORKS: setting(
    paymentNetworks,
    'networks on which payments are accepted, comma-separated (eip155:8453); paid in USDC, or in another token with six decimals (eip155:8453=0x…)',
    '',
  ),
  X402_FACILITATOR_URL: setting(
    z.url({ protocol: /^https?$/ }).optional(),
    'x402 facilitator that settles payments; without it, this server settles them',
  ),
  X402_SETTLER_KEY: setting(
    privateKey.optional(),
    'private key with which this server settles payments; its wallet pays the gas and receives no payments',
  ),
  X402_MAX_FEE_GWEI: setting(
    count,
    "highest fee for settling one payment, in billionths of the chain's coin; while fees are higher, payments are refused with 503",
    '1000000',
  ),
  OPERATOR_WALLETS: setting(
    list.pipe(z.array(walletAddress)),
    'wallets of the operators, comma-separated; their dashboard sessions see and manage the whole installation: nodes, errors, accounts with their credits, x402 payments, the quality of all calls; an address means an ordinary wallet, eip155:<chain>:<address> a contract wallet',
    '',
  ),
};

/** Card payments through Stripe. */
export const stripeSettings = {
  STRIPE_SECRET_KEY: setting(
    matching(
      /^(sk|rk)_(live|test)_\w+$/,
      'use a secret or restricted key of Stripe: sk_… or rk_…',
    ).optional(),
    'Stripe secret key; enables card payments for credits and plans',
  ),
  STRIPE_WEBHOOK_SECRET: setting(
    matching(/^whsec_\S+$/, 'use the signing secret of a webhook endpoint: whsec_…').optional(),
    'signing secret of the Stripe webhook endpoint, which is PUBLIC_URL/api/v1/stripe/webhook',
  ),
  STRIPE_API_BASE: setting(origin.optional(), 'base URL of the Stripe API, for tests'),
};
