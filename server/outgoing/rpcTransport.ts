import { http, type EIP1193RequestFn, type HttpTransport } from 'viem';
import { fetchNamed } from './fetchNamed.ts';

const limits = {
  timeoutMs: 5_000,
  /** This is enough for a block with all its transactions, and for the largest result within the gas limit. */
  maxBytes: 16_000_000,
};

/**
 * The gas limit of one call. Users can name any contract (a wallet that signs in, a payer, a gate), and RPC providers charge for
 * computation. A hundred ordinary reads in one multicall need 5 million gas. Chains accept no transaction with a gas limit above 2^24.
 */
export const readGasLimit = 10_000_000n;
const computing = new Set(['eth_call', 'eth_estimateGas']);

/** Creates a transport for JSON-RPC to a URL from the settings. It limits time, size and gas, and follows no redirects. */
export function rpcTransport(url: string, signal?: AbortSignal): HttpTransport {
  const transport = http(url, {
    timeout: limits.timeoutMs,
    retryCount: 0,
    fetchFn: (input, init) =>
      fetchNamed(addressOf(input), { ...init, ...(signal ? { signal } : {}) }, limits),
  });
  return (options) => {
    const made = transport(options);
    const request = ((call, settings) => made.request(withGasLimit(call), settings)) as EIP1193RequestFn;
    return { ...made, request };
  };
}

const addressOf = (input: string | URL | Request) => (input instanceof Request ? input.url : input);

function withGasLimit<Call extends { method: string; params?: unknown }>(call: Call): Call {
  if (!computing.has(call.method) || !Array.isArray(call.params)) return call;
  const [transaction, ...rest] = call.params as [{ gas?: string }, ...unknown[]];
  if (transaction.gas !== undefined) return call;
  return { ...call, params: [{ ...transaction, gas: `0x${readGasLimit.toString(16)}` }, ...rest] };
}
