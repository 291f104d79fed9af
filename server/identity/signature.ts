import { recoverMessageAddress, type Hex } from 'viem';
import type { Address } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { Chains } from '../chains.ts';

interface Signed {
  walletAddress: Address;
  message: string;
  signature: Hex;
  chainId: number;
}

/** An ordinary key's signature is 65 bytes, or 64 in ERC-2098's form. */
const ordinaryLengths = new Set([2 + 65 * 2, 2 + 64 * 2]);

/** For all that is asked of the chain about one signature. A client waits ten seconds. */
const contractLimitMs = 8_000;

/**
 * An ordinary key's signature is checked here, without any chain. What fails that may be a contract wallet's (ERC-1271, or
 * ERC-6492 for one that is not deployed yet): that only the chain knows.
 * @throws ParleyError AUTHENTICATION_REQUIRED, or SERVICE_UNAVAILABLE when the chain can't be asked
 */
export async function checkSignature(signed: Signed, chains: Chains): Promise<void> {
  const { walletAddress, message, signature, chainId } = signed;
  const signer = await recoverMessageAddress({ message, signature }).catch(() => null);
  if (signer === walletAddress) return;
  if (await isContractsSignature(signed, chains)) return;
  throw new ParleyError(
    'AUTHENTICATION_REQUIRED',
    `The signature is not this wallet’s for this message on chain ${chainId}.`,
    {
      reason: 'invalid_token',
    },
  );
}

async function isContractsSignature(
  { walletAddress, message, signature, chainId }: Signed,
  chains: Chains,
): Promise<boolean> {
  // Without a chain to ask, what looks like an ordinary key's signature is taken for a wrong one of these.
  if (!chains.hasRpc(chainId) && ordinaryLengths.has(signature.length)) return false;
  const signal = AbortSignal.timeout(contractLimitMs);
  const client = await chains.client(chainId, signal);
  const late = new ParleyError(
    'SERVICE_UNAVAILABLE',
    `Chain ${chainId} takes too long to answer: try again.`,
    {
      retryAfter: 5,
    },
  );
  const isValid = await client
    .verifyMessage({ address: walletAddress, message, signature })
    .catch((error: unknown) => {
      throw signal.aborted ? late : error;
    });
  // viem takes some failures of the RPC for the wallet's no.
  if (!isValid && signal.aborted) throw late;
  return isValid;
}
