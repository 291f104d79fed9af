import { recoverMessageAddress, type Hex } from 'viem';
import type { Address } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';

/** An ordinary key's signature is checked here, without any chain. @throws ParleyError AUTHENTICATION_REQUIRED */
export async function checkSignature(walletAddress: Address, message: string, signature: Hex): Promise<void> {
  const signer = await recoverMessageAddress({ message, signature }).catch(() => null);
  if (signer === walletAddress) return;
  throw new ParleyError('AUTHENTICATION_REQUIRED', 'The signature is not this wallet’s for this message.', {
    reason: 'invalid_token',
  });
}
