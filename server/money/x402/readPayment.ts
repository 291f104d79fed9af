import { createHash } from 'node:crypto';
import { decodePaymentSignatureHeader } from '@x402/core/http';
import { PaymentPayloadV2Schema } from '@x402/core/schemas';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { parseErc6492Signature, type Hex } from 'viem';
import { z } from 'zod';
import { evmAddress, type EvmAddress } from '../../../sdk/protocol/common.ts';
import { PaymentRefused } from './PaymentRefused.ts';

/** A transfer signed by a payer (EIP-3009), as received with a request. */
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

/** The id of a chain. Other texts could contain a NUL, which PostgreSQL cannot look for. */
const caip2 = /^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}$/;
const wholeNumber = z.string().regex(/^\d{1,78}$/);
const hex = (digits: string) =>
  z
    .string()
    .regex(new RegExp(`^0x[0-9a-fA-F]${digits}$`))
    .transform((text) => text.toLowerCase() as `0x${string}`);
/** An ordinary signature has 65 bytes; those of contract wallets are longer. */
const authorised = z.object({
  signature: hex('{2,8192}').refine(isReadable),
  authorization: z.object({
    from: evmAddress,
    to: evmAddress,
    value: wholeNumber,
    validAfter: wholeNumber,
    validBefore: wholeNumber,
    nonce: hex('{64}'),
  }),
});

/**
 * The maximum validity of a payment. As long as its signature can still be used, its outcome is open, so a payment must not be valid for
 * long.
 */
const longestValiditySeconds = 900;

/** x402 compares a payment with the ways to pay in a time that grows with the cube of its levels: the 2,000 of a header took seconds. */
const deepestLevels = 32;

/**
 * Reads the PAYMENT-SIGNATURE header.
 * @throws PaymentRefused unless it is a signed transfer of x402 version 2
 */
export function readPayment(header: string): Payment {
  const payload = decoded(header);
  const parsed = authorised.safeParse(payload.payload);
  const asset = evmAddress.safeParse(payload.accepted.asset);
  if (!parsed.success) throw lacks(['payload', ...(parsed.error.issues[0]?.path ?? [])]);
  if (!asset.success) throw lacks(['accepted', 'asset']);
  if (!caip2.test(payload.accepted.network)) throw lacks(['accepted', 'network']);
  const { signature, authorization } = parsed.data;
  const validBefore = Number(authorization.validBefore);
  if (validBefore > Date.now() / 1_000 + longestValiditySeconds) {
    const message = `The payment is valid for too long. Set validBefore to at most ${longestValiditySeconds} s from now.`;
    throw new PaymentRefused('valid_before_too_late', message);
  }
  const { from: payer, nonce } = authorization;
  const { network } = payload.accepted;
  return {
    // Only what was checked above. With a Permit2 authorization beside the transfer, x402 would verify and settle that one instead.
    payload: { ...payload, payload: { signature, authorization } },
    network,
    asset: asset.data,
    payer,
    nonce,
    signature,
    validBefore: new Date(validBefore * 1_000),
  };
}

function decoded(header: string): PaymentPayload {
  let payload: unknown;
  try {
    payload = decodePaymentSignatureHeader(header);
  } catch {
    throw new PaymentRefused('invalid_payload', 'PAYMENT-SIGNATURE is not JSON in base64.');
  }
  if (!isShallow(payload, deepestLevels))
    throw new PaymentRefused('invalid_payload', 'The payment is nested too deeply.');
  const { success, error } = PaymentPayloadV2Schema.safeParse(payload);
  if (success) return payload as PaymentPayload;
  const [path = []] = error.issues.map((issue) => issue.path);
  if (path.length === 0 || path[0] === 'x402Version')
    throw new PaymentRefused('invalid_x402_version', 'The payment does not have version 2 of x402.');
  throw lacks(path);
}

const lacks = (path: PropertyKey[]) =>
  new PaymentRefused('invalid_payload', `The payment has no valid \`${path.map(String).join('.')}\`.`);

/** Whether a signature that claims to be of a wallet that is not deployed yet (ERC-6492) has its parts. Others have none. */
function isReadable(signature: Hex): boolean {
  try {
    return parseErc6492Signature(signature) !== null;
  } catch {
    return false;
  }
}

/** Whether the value has at most this many levels of objects and arrays. */
function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isShallow(inner, levels - 1));
}

/** The hashes that tell whether two requests are the same. */
export interface RequestHashes {
  /** Of the request and its payment. A request with the same hash gets the same answer. */
  request: string;
  /** Of method, path and Idempotency-Key; null without a key. */
  key: string | null;
  body: string;
}

export function hashesOf(
  { method, path }: { method: string; path: string },
  body: string,
  idempotencyKey: string | null,
  { signature }: Payment,
): RequestHashes {
  return {
    request: hashOf(method, path, body, idempotencyKey, signature),
    key: idempotencyKey === null ? null : hashOf(method, path, idempotencyKey),
    body,
  };
}

const hashOf = (...parts: (string | null)[]) =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex');

/** The reason why a payment does not match the accepted ways to pay. */
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
