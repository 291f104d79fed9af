import { createHash } from 'node:crypto';
import { decodePaymentSignatureHeader } from '@x402/core/http';
import { isPaymentPayloadV2 } from '@x402/core/schemas';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { z } from 'zod';
import { evmAddress, type EvmAddress } from '../../../sdk/protocol/common.ts';
import { PaymentRefused } from './PaymentRefused.ts';

/** What a payer signed (EIP-3009), as it came with a request. */
export interface Payment {
  payload: PaymentPayload;
  /** CAIP-2. */
  network: string;
  asset: EvmAddress;
  payer: EvmAddress;
  nonce: `0x${string}`;
  signature: string;
  validBefore: Date;
}

const wholeNumber = z.string().regex(/^\d{1,78}$/);
const hex = (digits: string) =>
  z
    .string()
    .regex(new RegExp(`^0x[0-9a-fA-F]${digits}$`))
    .transform((text) => text.toLowerCase() as `0x${string}`);
/** An ordinary signature has 65 bytes; those of contract wallets are longer. */
const authorised = z.object({
  signature: hex('{2,8192}'),
  authorization: z.object({
    from: evmAddress,
    to: evmAddress,
    value: wholeNumber,
    validAfter: wholeNumber,
    validBefore: wholeNumber,
    nonce: hex('{64}'),
  }),
});

/** A signature is good for a few minutes: one that may be used in a year is a bill nobody can close. */
const longestValiditySeconds = 900;

/**
 * Reads the PAYMENT-SIGNATURE header.
 * @throws PaymentRefused when it is no payment of version 2 by a signed transfer
 */
export function readPayment(header: string): Payment {
  const payload = decoded(header);
  const parsed = authorised.safeParse(payload.payload);
  const asset = evmAddress.safeParse(payload.accepted.asset);
  if (!parsed.success || !asset.success)
    throw new PaymentRefused('invalid_payload', 'The payment is not a signed transfer.');
  const { signature, authorization } = parsed.data;
  const validBefore = Number(authorization.validBefore);
  if (validBefore > Date.now() / 1_000 + longestValiditySeconds) {
    const message = `A payment may be valid for ${longestValiditySeconds} s at most.`;
    throw new PaymentRefused('valid_before_too_late', message);
  }
  const { from: payer, nonce } = authorization;
  const { network } = payload.accepted;
  return {
    ...{ payload, network, asset: asset.data, payer, nonce, signature },
    validBefore: new Date(validBefore * 1_000),
  };
}

function decoded(header: string): PaymentPayload {
  let payload: unknown;
  try {
    payload = decodePaymentSignatureHeader(header);
  } catch {
    throw new PaymentRefused('invalid_payload', 'PAYMENT-SIGNATURE is not base64 of JSON.');
  }
  if (!isPaymentPayloadV2(payload))
    throw new PaymentRefused('invalid_x402_version', 'The payment is not one of x402 version 2.');
  return payload as PaymentPayload;
}

/** The request and the signature that pays for it: whoever repeats both gets the same answer. */
export function requestHash(
  { method, path }: { method: string; path: string },
  bodyHash: string,
  idempotencyKey: string | null,
  { signature }: Payment,
): string {
  const text = JSON.stringify([method, path, bodyHash, idempotencyKey, signature]);
  return createHash('sha256').update(text).digest('hex');
}

/** In which respect a payment is for something else than what is asked for. */
export function mismatchOf(accepts: PaymentRequirements[], { payload: { accepted } }: Payment): string {
  if (accepted.scheme !== 'exact') return 'scheme_mismatch';
  const onNetwork = accepts.filter(({ network }) => network === accepted.network);
  if (onNetwork.length === 0) return 'network_mismatch';
  const inAsset = onNetwork.filter(({ asset }) => asset.toLowerCase() === accepted.asset.toLowerCase());
  if (inAsset.length === 0) return 'asset_mismatch';
  if (inAsset.every(({ amount }) => amount !== accepted.amount)) return 'amount_mismatch';
  if (inAsset.every(({ payTo }) => payTo.toLowerCase() !== accepted.payTo.toLowerCase()))
    return 'recipient_mismatch';
  return 'requirements_mismatch';
}
