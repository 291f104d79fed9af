import {
  BaseError,
  createClient,
  custom,
  hashMessage,
  recoverMessageAddress,
  RpcRequestError,
  type CallParameters,
  type Hex,
  type PublicClient,
} from 'viem';
import { verifyHash } from 'viem/actions';
import { contractWallet, onChain, type Address, type EvmAddress } from '../../sdk/protocol/address.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { answering, isRevert } from '../../signaling/gates/ChainReader.ts';
import type { Chains } from '../chains/chains.ts';

interface Signed {
  walletAddress: EvmAddress;
  message: string;
  signature: Hex;
  chainId: number;
}

/** What a session's wallet was proven by. A contract can be asked again, since its owners change; a key can't change. */
export type WalletEvidence = { by: 'key' } | { by: 'contract'; hash: Hex; signature: Hex };

/** Who signed: the wallet's identity, and the evidence. */
export interface Signer {
  wallet: Address;
  evidence: WalletEvidence;
}

/** An ordinary key's signature is 65 bytes, or 64 in ERC-2098's form. */
const ordinaryLengths = new Set([2 + 65 * 2, 2 + 64 * 2]);

/** For all that is asked of the chain about one signature. A client waits ten seconds. */
const contractLimitMs = 8_000;

/**
 * An ordinary key's signature is checked here, without any chain. What fails that may be a contract wallet's (ERC-1271, or
 * ERC-6492 for one that is not deployed yet): that only the chain knows.
 * A key proves the address on every chain, a contract on its own chain only: that is part of its identity.
 * @throws ParleyError AUTHENTICATION_REQUIRED, or SERVICE_UNAVAILABLE when the chain can't be asked
 */
export async function checkSignature(signed: Signed, chains: Chains): Promise<Signer> {
  const { walletAddress, message, signature, chainId } = signed;
  const signer = await recoverMessageAddress({ message, signature }).catch(() => null);
  if (signer === walletAddress) return { wallet: walletAddress, evidence: { by: 'key' } };
  const wallet = contractWallet(chainId, walletAddress);
  const evidence = { by: 'contract', hash: hashMessage(message), signature } as const;
  // Without a chain to ask, what looks like an ordinary key's signature is taken for a wrong one of these.
  const canBeContracts = chains.hasRpc(chainId) || !ordinaryLengths.has(signature.length);
  if (canBeContracts && (await stillHolds({ wallet, evidence }, chains))) return { wallet, evidence };
  throw new ParleyError(
    'AUTHENTICATION_REQUIRED',
    `The signature is not this wallet’s for this message on chain ${chainId}.`,
    {
      reason: 'invalid_token',
    },
  );
}

/**
 * Whether the wallet accepts the signature now. A contract is asked on its chain: ERC-1271 once it is deployed, before that
 * ERC-6492, which deploys it in a simulation.
 * @throws ParleyError SERVICE_UNAVAILABLE when the chain can't be asked, which is not a no
 */
export async function stillHolds({ wallet, evidence }: Signer, chains: Chains): Promise<boolean> {
  const { address, chainId } = onChain(wallet);
  if (evidence.by === 'key' || chainId === null) return evidence.by === 'key' && chainId === null;
  const { hash, signature } = evidence;
  const client = await chains.client(chainId, AbortSignal.timeout(contractLimitMs));
  return answering(chainId, async () => {
    const asking = noting(client);
    const holds = await verifyHash(asking.client, { address, hash, signature });
    // viem takes any call that fails for a wrong signature.
    const [failure] = asking.failures;
    if (!holds && failure) throw failure;
    return holds;
  });
}

/** A client that remembers which of its calls failed without an answer of the contract. */
function noting(client: PublicClient) {
  const failures: Error[] = [];
  const call = (parameters: CallParameters) =>
    client.call(parameters).catch((error: Error) => {
      if (!isRevert(error) && !ranOut(error)) failures.push(error);
      throw error;
    });
  const transport = custom(client);
  return { client: createClient({ ccipRead: false, transport }).extend(() => ({ call })), failures };
}

/** The contract failed in another way than by a revert. Nodes have no common code for it. */
const ranOut = (error: Error) =>
  error instanceof BaseError &&
  error.walk((cause) => cause instanceof RpcRequestError && /out ?of ?gas|opcode/i.test(cause.details)) !==
    null;
