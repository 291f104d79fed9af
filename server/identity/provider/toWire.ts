import { onChain } from '../../../sdk/protocol/address.ts';
import { toIso, type Address } from '../../../sdk/protocol/common.ts';
import type { WireIdentity } from '../../../sdk/protocol/identities.ts';
import type { IdentityRow } from '../tables.ts';

/** Converts an identity of an outside provider. */
export function toWireIdentity({ id, issuer, subject, email, linkedAt }: IdentityRow): WireIdentity {
  const noWallet = { walletAddress: null, walletId: null };
  return { id, type: 'oidc', ...noWallet, issuer, subject, email, linkedAt: toIso(linkedAt) };
}

/** Converts the wallet of an account into an identity. */
export function toWalletIdentity(wallet: Address, linkedAt: Date): WireIdentity {
  const noProvider = { issuer: null, subject: null, email: null };
  const walletAddress = onChain(wallet).address;
  return {
    id: 'wallet',
    type: 'wallet',
    walletAddress,
    walletId: wallet,
    ...noProvider,
    linkedAt: toIso(linkedAt),
  };
}
