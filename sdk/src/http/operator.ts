import type { Page as WirePage } from '../../protocol/http.ts';
import type * as wire from '../../protocol/operator.ts';
import type { WireQuality } from '../../protocol/quality.ts';
import type { WireRequestPayment } from '../../protocol/payments.ts';
import type { HttpClient } from './HttpClient.ts';
import type {
  BlockReason,
  CreditGrant,
  OperatorAccount,
  OperatorAccountsQuery,
  OperatorError,
  OperatorErrorsQuery,
  OperatorNode,
  OperatorOverview,
  RequestPayment,
  RequestPaymentQuery,
} from './accountTypes.ts';
import type { SpendOptions } from './phoneTypes.ts';
import type { KeptQuality, QualityQuery } from './roomTypes.ts';
import type { Page } from '../types.ts';

/** For the operator of the server: `client.operator`. Needs a dashboard session of a wallet named in the setting OPERATOR_WALLETS. */
export class Operator {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  /**
   * Lists the payments for single requests (x402), latest first.
   * @param query.status only `settling`, `settled`, `done` or `failed` payments. Default: all
   * @param query.payer only payments of this wallet. Default: all
   * @returns one page of payments
   * @throws ParleyError ACCESS_DENIED: not an operator, or not a dashboard session (`session_required`)
   * @example const { data } = await client.operator.payments({ status: 'failed' });
   */
  payments(query?: RequestPaymentQuery): Promise<Page<RequestPayment>> {
    return this.#http.get<WirePage<WireRequestPayment>>('/operator/payments', query);
  }

  /**
   * Reads the nodes of the installation, and what is going on now.
   * @returns the nodes and the numbers of calls, rooms, people, streams and viewers
   * @throws ParleyError ACCESS_DENIED: not an operator, or not a dashboard session (`session_required`)
   */
  overview(): Promise<OperatorOverview> {
    return this.#http.get<wire.WireOperatorOverview>('/operator/overview');
  }

  /**
   * Drains a node of a cluster: it takes no new rooms and hands over its own, and `/readyz` fails. Or lets it serve again.
   * @param nodeId the id of the node
   * @param isDraining true drains the node; false lets it serve again
   * @returns the node
   * @throws ParleyError ACCESS_DENIED: not an operator, or not a dashboard session (`session_required`)
   * @throws ParleyError NOT_FOUND: no living node has this id
   * @throws ParleyError CONFLICT: no other node could take its rooms
   */
  drain(nodeId: string, isDraining: boolean): Promise<OperatorNode> {
    const path = `/operator/nodes/${encodeURIComponent(nodeId)}`;
    return this.#http.request<wire.WireOperatorNode>('PATCH', path, { isDraining });
  }

  /**
   * Lists the latest warnings and errors in the logs of all nodes, latest first.
   * @param query.requestId only what was logged about this request. Default: all
   * @param query.limit the number of entries, 1 to 100. Default: 50
   * @param query.cursor the `nextCursor` of the page before. Default: the first page
   * @returns one page of entries
   * @throws ParleyError ACCESS_DENIED: not an operator, or not a dashboard session (`session_required`)
   */
  errors(query?: OperatorErrorsQuery): Promise<Page<OperatorError>> {
    return this.#http.get<WirePage<wire.WireOperatorError>>('/operator/errors', query);
  }

  /**
   * Lists accounts, latest first.
   * @param query.find only the account with this wallet, id or email address. Default: all
   * @param query.blocked `true`: only blocked accounts, `false`: only others. Default: all
   * @param query.limit the number of accounts, 1 to 100. Default: 50
   * @param query.cursor the `nextCursor` of the page before. Default: the first page
   * @returns one page of accounts
   * @throws ParleyError ACCESS_DENIED: not an operator, or not a dashboard session (`session_required`)
   * @throws ParleyError VALIDATION_ERROR: `find` is none of these
   */
  accounts(query?: OperatorAccountsQuery): Promise<Page<OperatorAccount>> {
    return this.#http.get<WirePage<wire.WireOperatorAccount>>('/operator/accounts', query);
  }

  /**
   * Grants credits to an account.
   * @param accountId the id of the account
   * @param grant.credits how many, 1 to 999,999,999
   * @param grant.reason why, 1 to 200 characters. The account sees it in its history
   * @param options.idempotencyKey a retry with the same key grants nothing again. Default: a new key
   * @returns the account with its new balance
   * @throws ParleyError ACCESS_DENIED: not an operator, or not a dashboard session (`session_required`)
   * @throws ParleyError NOT_FOUND: there is no such account
   * @throws ParleyError VALIDATION_ERROR: a field is missing or out of bounds
   */
  grant(
    accountId: string,
    grant: CreditGrant,
    { idempotencyKey }: SpendOptions = {},
  ): Promise<OperatorAccount> {
    return this.#http.once<wire.WireOperatorAccount>(`${pathOf(accountId)}/credits`, grant, idempotencyKey);
  }

  /**
   * Blocks an account: its sessions and connections end, its API keys are refused, and nobody can sign in to it.
   * @param accountId the id of the account
   * @param block.reason why, 1 to 200 characters. Only operators see it
   * @returns the account
   * @throws ParleyError ACCESS_DENIED: not an operator, or not a dashboard session (`session_required`)
   * @throws ParleyError NOT_FOUND: there is no such account
   * @throws ParleyError VALIDATION_ERROR: the reason is missing or too long
   */
  block(accountId: string, block: BlockReason): Promise<OperatorAccount> {
    return this.#http.once<wire.WireOperatorAccount>(`${pathOf(accountId)}/block`, block);
  }

  /**
   * Ends the block of an account.
   * @param accountId the id of the account
   * @returns the account
   * @throws ParleyError ACCESS_DENIED: not an operator, or not a dashboard session (`session_required`)
   * @throws ParleyError NOT_FOUND: there is no such account
   */
  unblock(accountId: string): Promise<OperatorAccount> {
    return this.#http.once<wire.WireOperatorAccount>(`${pathOf(accountId)}/unblock`);
  }

  /**
   * Reads the quality of the media in any call or room, and what was wrong with it.
   * @param id the id of the call or room
   * @param query.from leaves out what was before this time. Default: everything
   * @returns its quality; without participants if nothing was kept
   * @throws ParleyError ACCESS_DENIED: not an operator, or not a dashboard session (`session_required`)
   * @throws ParleyError VALIDATION_ERROR: not the id of a call or room
   */
  quality(id: string, query?: QualityQuery): Promise<KeptQuality> {
    return this.#http.get<WireQuality>(`/operator/quality/${encodeURIComponent(id)}`, query);
  }
}

const pathOf = (accountId: string) => `/operator/accounts/${encodeURIComponent(accountId)}`;
