import type { deleteAccount, WireDeletion, WireExport } from '../../protocol/privacy.ts';
import type {
  historyQuery,
  usageQuery,
  WireAccount,
  WireAccountCredits,
  WireAccountUsage,
  WireCheckout,
  WireMovement,
  WirePayment,
  WirePlan,
  WireSubscription,
} from '../../protocol/account.ts';
import type {
  auditQuery,
  createApiKey,
  WireApiKey,
  WireAuditRow,
  WireCreatedApiKey,
  WirePublishableKey,
  WireRevokedApiKey,
} from '../../protocol/apiKeys.ts';
import type { FromWire } from '../../protocol/common.ts';
import type { BodyOf, QueryOf } from '../../protocol/http.ts';
import type { linkIdentity, WireIdentity } from '../../protocol/identities.ts';
import type * as operator from '../../protocol/operator.ts';
import type { requestPaymentsQuery, WireRequestPayment } from '../../protocol/payments.ts';

/* The types of accounts, their identities, payments and API keys, derived from the routes' schemas. */

/** The account of the API key or session, with its credits, plan and wallet, and how the request was authenticated. */
export type AccountInfo = FromWire<WireAccount>;
/** The balance, in whole credits. One credit is one US cent. */
export type Credits = FromWire<WireAccountCredits>;
/** The credits an account has spent in a period. */
export type Usage = FromWire<WireAccountUsage>;
/** A period of at most 366 days, and how to group its rows. */
export type UsageQuery = QueryOf<typeof usageQuery>;
/** One movement of credits: a debit, credit or refund. */
export type Movement = FromWire<WireMovement>;
/** Selects movements of credits. */
export type HistoryQuery = QueryOf<typeof historyQuery>;
/** The account's plan. `status` is `none` if it has none. */
export type Subscription = FromWire<WireSubscription>;
/** A monthly plan. */
export type Plan = FromWire<WirePlan>;
/** A payment page at Stripe. */
export type Checkout = FromWire<WireCheckout>;
/** A payment of an account, in any state. */
export type Payment = FromWire<WirePayment>;
/** The payment of a single request (x402), as the operator sees it. */
export type RequestPayment = FromWire<WireRequestPayment>;
/** Selects payments of single requests. */
export type RequestPaymentQuery = QueryOf<typeof requestPaymentsQuery>;
/** A node, as the operator sees it. */
export type OperatorNode = FromWire<operator.WireOperatorNode>;
/** The nodes of the installation, and what is going on now. */
export type OperatorOverview = FromWire<operator.WireOperatorOverview>;
/** A warning or error in the log of a node. */
export type OperatorError = FromWire<operator.WireOperatorError>;
/** Selects warnings and errors. */
export type OperatorErrorsQuery = QueryOf<typeof operator.operatorErrorsQuery>;
/** An account, as the operator sees it. */
export type OperatorAccount = FromWire<operator.WireOperatorAccount>;
/** Selects accounts. */
export type OperatorAccountsQuery = QueryOf<typeof operator.operatorAccountsQuery>;
/** The credits to grant, and why. */
export type CreditGrant = BodyOf<typeof operator.grantCredits>;
/** Why an account is blocked. */
export type BlockReason = BodyOf<typeof operator.blockAccount>;
/** A way to sign in to an account: its wallet, or a user of an outside identity provider. */
export type AccountIdentity = FromWire<WireIdentity>;
/** The proof of an identity to link: a wallet's signed message, or a provider's token. */
export type IdentityProof = BodyOf<typeof linkIdentity>;
/** An archive with all data of the account. */
export type AccountExport = FromWire<WireExport>;
/** The requested deletion of an account. */
export type AccountDeletion = FromWire<WireDeletion>;
/** The proof that the person wants the account deleted: a wallet's signed message, or a provider's token. */
export type DeletionProof = BodyOf<typeof deleteAccount>;
/** An API key, without its secret. */
export type ApiKey = FromWire<WireApiKey>;
/** A new API key with its secret. The secret is shown only once. */
export type CreatedApiKey = FromWire<WireCreatedApiKey>;
/** The API key to create. */
export type NewApiKey = BodyOf<typeof createApiKey>;
/** A revoked API key, with the webhooks and endpoints that were set with it. */
export type RevokedApiKey = FromWire<WireRevokedApiKey>;
/** The key that names the account's app in a browser. */
export type PublishableKey = FromWire<WirePublishableKey>;
/** A row of the audit log. */
export type AuditRow = FromWire<WireAuditRow>;
/** Selects rows of the audit log. */
export type AuditQuery = QueryOf<typeof auditQuery>;
