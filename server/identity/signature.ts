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

export interface Signed {
  walletAddress: EvmAddress;
  message: string;
  signature: Hex;
  chainId: number;
}

/**
 * Proves that the wallet signed when its session was opened. The owner of a contract may change, so the evidence allows asking the contract
 * again. A key cannot change.
 */
export type WalletEvidence = { by: 'key' } | { by: 'contract'; hash: Hex; signature: Hex };

/** The wallet that signed, and the evidence for it. */
export interface Signer {
  wallet: Address;
  evidence: WalletEvidence;
}

/** The lengths of an ordinary key's signature in hexadecimal characters, for 65 bytes and for the 64 bytes of ERC-2098. */
const ordinaryLengths = new Set([2 + 65 * 2, 2 + 64 * 2]);

/** The time limit for all requests to the chain about one signature together. Clients wait ten seconds, so it is shorter. */
const contractLimitMs = 8_000;

/**
 * Checks a signature. The signature of an ordinary key is checked without a chain. Any other signature may be that of a contract wallet
 * (ERC-1271, or ERC-6492 for a contract that is not deployed yet), which only its chain can check. A key proves the address on every chain.
 * A contract proves it only on its own chain, which is part of its identity.
 * @throws ParleyError AUTHENTICATION_REQUIRED, or SERVICE_UNAVAILABLE if the chain is unreachable
 */
export async function checkSignature(signed: Signed, chains: Chains): Promise<Signer> {
  const { walletAddress, message, signature, chainId } = signed;
  const signer = await recoverMessageAddress({ message, signature }).catch(() => null);
  if (signer === walletAddress) return { wallet: walletAddress, evidence: { by: 'key' } };
  const wallet = contractWallet(chainId, walletAddress);
  const evidence = { by: 'contract', hash: hashMessage(message), signature } as const;
  // If the chain has no RPC, a signature of ordinary length is taken for a wrong signature of an ordinary key.
  const mayBeOfContract = chains.hasRpc(chainId) || !ordinaryLengths.has(signature.length);
  if (mayBeOfContract && (await stillHolds({ wallet, evidence }, chains))) return { wallet, evidence };
  throw new ParleyError(
    'AUTHENTICATION_REQUIRED',
    `The signature is not this wallet’s for this message on chain ${chainId}.`,
  );
}

/**
 * Whether the wallet accepts the signature now. A contract is asked on its chain: by ERC-1271 if it is deployed, otherwise by ERC-6492,
 * which simulates the deployment.
 * @throws ParleyError SERVICE_UNAVAILABLE if the chain is unreachable, which does not mean that the signature is wrong
 */
export async function stillHolds({ wallet, evidence }: Signer, chains: Chains): Promise<boolean> {
  const { address, chainId } = onChain(wallet);
  if (evidence.by === 'key' || chainId === null) return evidence.by === 'key' && chainId === null;
  const { hash, signature } = evidence;
  const client = await chains.client(chainId, AbortSignal.timeout(contractLimitMs));
  return answering(chainId, async () => {
    const asking = noting(client);
    const holds = await verifyHash(asking.client, { address, hash, signature });
    // viem treats any failed call as a wrong signature.
    const [failure] = asking.failures;
    if (!holds && failure) throw failure;
    return holds;
  });
}

/** Creates a client that records calls that failed before the contract could answer. */
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

/** Whether the contract failed without a revert, for example by running out of gas. RPC servers have no common error code for this. */
const ranOut = (error: Error) =>
  error instanceof BaseError &&
  error.walk((cause) => cause instanceof RpcRequestError && /out ?of ?gas|opcode/i.test(cause.details)) !==
    null;
