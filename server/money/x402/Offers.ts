import { x402ResourceServer, type FacilitatorClient } from '@x402/core/server';
import type {
  PaymentRequired,
  PaymentRequirements,
  SettleResponse,
  SupportedResponse,
} from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm/exact/server';
import type { Logger } from 'pino';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import type { EvmAddress } from '../../../sdk/protocol/common.ts';
import type { Chains } from '../../chains/chains.ts';
import type { PaymentNetwork } from '../../config/settingKinds.ts';
import { PaymentRefused } from './PaymentRefused.ts';
import type { Payment } from './readPayment.ts';
import { atomicPerCredit, defaultToken, readToken, type Token } from './readToken.ts';

interface OffersDeps {
  facilitator: FacilitatorClient;
  networks: PaymentNetwork[];
  payTo: EvmAddress;
  chains: Pick<Chains, 'client'>;
  log: Logger;
}

/**
 * The accepted ways to pay, and the facilitator that verifies and settles payments. What the facilitator supports and the properties of the
 * tokens are read on first use, so that the server can start even if they are unavailable.
 */
export class Offers {
  readonly #deps: OffersDeps;
  readonly #tokens = new Map<string, Promise<Token>>();
  #server: Promise<x402ResourceServer> | null = null;

  constructor(deps: OffersDeps) {
    this.#deps = deps;
  }

  /** All ways to pay for a number of credits. @throws ParleyError SERVICE_UNAVAILABLE */
  async accepts(credits: number): Promise<PaymentRequirements[]> {
    const server = await this.#ready();
    const { networks, payTo, log } = this.#deps;
    const found = await Promise.allSettled(
      networks.map(async (network) => {
        const token = await this.#token(network);
        return server.buildPaymentRequirements({
          scheme: 'exact',
          network: network.network,
          payTo,
          price: {
            amount: String(credits * atomicPerCredit),
            asset: token.address,
            extra: { name: token.name, version: token.version },
          },
          // A route's work cannot be undone, so the payment is settled before it.
          extra: { paymentFlow: 'upfront' },
        });
      }),
    );
    for (const outcome of found)
      if (outcome.status === 'rejected')
        log.warn({ err: outcome.reason as unknown }, 'payment network not offered');
    const accepts = found.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []));
    if (accepts.length > 0) return accepts;
    // The facilitator may have left out these networks for a moment: the next request asks it again.
    this.#server = null;
    throw unavailable('Payments are not possible at the moment. Try again later.');
  }

  /** The content of the PAYMENT-REQUIRED header. */
  async quote(
    accepts: PaymentRequirements[],
    url: string,
    description: string,
    error: string,
  ): Promise<PaymentRequired> {
    const server = await this.#ready();
    const resource = { url, description, mimeType: 'application/json' };
    return server.createPaymentRequiredResponse(accepts, resource, error);
  }

  async match(
    accepts: PaymentRequirements[],
    { payload }: Payment,
  ): Promise<PaymentRequirements | undefined> {
    return (await this.#ready()).findMatchingRequirements(accepts, payload);
  }

  /** Checks as far as possible in advance that the payment can be settled. @throws PaymentRefused */
  async verify({ payload }: Payment, requirements: PaymentRequirements): Promise<void> {
    const { facilitator } = this.#deps;
    const answer = await facilitator.verify(payload, requirements).catch((error: unknown) => {
      const reason = textOf(error, 'invalidReason');
      if (reason === null) throw unavailable('The payment could not be verified. Try again.', error);
      return { isValid: false, invalidReason: reason };
    });
    if (!answer.isValid) throw new PaymentRefused(answer.invalidReason ?? 'invalid_payment');
  }

  /** Settles the payment. If this throws, the outcome is unknown. */
  async settle({ payload }: Payment, requirements: PaymentRequirements): Promise<SettleResponse> {
    const server = await this.#ready();
    return server.settlePayment(payload, requirements, undefined, undefined, undefined, 'before-handler');
  }

  #token({ network, chainId, token }: PaymentNetwork): Promise<Token> {
    let known = this.#tokens.get(network);
    if (!known) {
      known = this.#findToken(network, chainId, token);
      this.#tokens.set(network, known);
      known.catch(() => this.#tokens.delete(network));
    }
    return known;
  }

  async #findToken(network: `eip155:${number}`, chainId: number, address: EvmAddress | null): Promise<Token> {
    const usual = address === null ? defaultToken(network) : null;
    if (usual) return usual;
    if (address === null) throw new Error(`USDC is not known on ${network}`);
    return readToken(await this.#deps.chains.client(chainId), address);
  }

  #ready(): Promise<x402ResourceServer> {
    if (!this.#server) {
      this.#server = this.#open();
      this.#server.catch(() => (this.#server = null));
    }
    return this.#server;
  }

  async #open(): Promise<x402ResourceServer> {
    const { facilitator, networks } = this.#deps;
    let supported: SupportedResponse;
    try {
      supported = await facilitator.getSupported();
    } catch (error) {
      throw unavailable('The payment facilitator does not answer. Try again later.', error);
    }
    const server = new x402ResourceServer({
      verify: (...request) => facilitator.verify(...request),
      settle: (...request) => facilitator.settle(...request),
      getSupported: () => Promise.resolve(supported),
    });
    for (const { network } of networks) server.register(network, new ExactEvmScheme());
    await server.initialize();
    return server;
  }
}

/** A field of the answer of a facilitator that answered with an error status; null if the answer has none. */
export function textOf(
  error: unknown,
  field: 'invalidReason' | 'errorReason' | 'transaction',
): string | null {
  const text: unknown =
    error instanceof Error ? (error as Error & Record<string, unknown>)[field] : undefined;
  return typeof text === 'string' ? text : null;
}

const unavailable = (message: string, cause?: unknown) =>
  new ParleyError('SERVICE_UNAVAILABLE', message, { retryAfter: 5, cause });
