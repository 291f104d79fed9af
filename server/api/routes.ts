import type { AccountService } from '../money/account/AccountService.ts';
import type { Plans } from '../money/account/Plans.ts';
import { accountRoutes } from '../money/account/routes.ts';
import type { ApiKeyService } from '../money/apiKeys/ApiKeyService.ts';
import { apiKeyRoutes } from '../money/apiKeys/routes.ts';
import type { AuditLog } from '../money/audit/AuditLog.ts';
import { billingRoutes, type Billing } from '../money/billing/routes.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Telephony } from '../telephony/Telephony.ts';
import { esimRoutes } from '../esim/routes.ts';
import type { EsimService } from '../esim/EsimService.ts';
import { fileRoutes, type FileServices } from '../files/routes.ts';
import { providerRoutes, type ProviderServices } from '../identity/provider/routes.ts';
import { identityRoutes } from '../identity/routes.ts';
import type { SessionService } from '../identity/SessionService.ts';
import type { LeakSearchService } from '../leaksearch/LeakSearchService.ts';
import { leakSearchRoutes } from '../leaksearch/routes.ts';
import type { LookupService } from '../telephony/lookup/LookupService.ts';
import { lookupRoutes } from '../telephony/lookup/routes.ts';
import type { RealtimeRules } from '../realtime/RealtimeRules.ts';
import { RoomService } from '../realtime/rooms/RoomService.ts';
import type { AccountData } from '../privacy/AccountData.ts';
import { privacyRoutes } from '../privacy/routes.ts';
import { roomRoutes } from '../realtime/rooms/routes.ts';
import { callRoutes } from '../realtime/calls/routes.ts';
import { recordingRoutes } from '../realtime/recordings/routes.ts';
import { streamRoutes } from '../realtime/streams/routes.ts';
import { StreamService } from '../realtime/streams/StreamService.ts';
import { messagingRoutes } from '../telephony/messaging/routes.ts';
import { numberRoutes } from '../telephony/numbers/routes.ts';
import { smsRoutes } from '../telephony/sms/routes.ts';
import { verificationRoutes } from '../telephony/verifications/routes.ts';
import type { VerificationService } from '../telephony/verifications/VerificationService.ts';
import { xmppRoutes } from '../xmpp/routes.ts';
import type { XmppService } from '../xmpp/XmppService.ts';
import type { WebhookService } from '../webhooks/WebhookService.ts';
import type { EndpointService } from '../webhooks/EndpointService.ts';
import { endpointRoutes } from '../webhooks/endpointRoutes.ts';
import { webhookRoutes } from '../webhooks/routes.ts';
import { openApi } from './openApi.ts';
import type { Route } from '../http/Route.ts';
import type { Network } from '../../sdk/protocol/session.ts';
import { metaRoutes } from './metaRoutes.ts';
import type { X402Payments } from '../money/x402/X402Payments.ts';
import { operatorRoutes } from '../operator/routes.ts';
import type { ErrorLog } from '../operator/ErrorLog.ts';
import type { OperatorService } from '../operator/OperatorService.ts';
import { x402Routes } from '../money/x402/routes.ts';

/** Services that each need a provider. If the provider is not configured, the service is null and its routes answer 503. */
export interface ProvidedServices {
  lookup: LookupService | null;
  leaksearch: LeakSearchService | null;
  esim: EsimService | null;
  verifications: VerificationService | null;
  xmpp: XmppService | null;
}

export interface Services extends ProvidedServices {
  db: Database;
  sessions: SessionService;
  identity: ProviderServices;
  billing: Billing;
  account: AccountService;
  plans: Plans;
  apiKeys: ApiKeyService;
  audit: AuditLog;
  x402Payments: X402Payments;
  telephony: Telephony;
  webhooks: { service: WebhookService; endpoints: EndpointService };
  files: FileServices | null;
  rules: RealtimeRules;
  operator: OperatorService;
  errors: ErrorLog;
  accountData: AccountData;
  /** Checks that must pass for the server to be operational. */
  checks: Record<string, () => Promise<void>>;
  publicUrl: string;
  /** The network that clients sign in to unless they choose one. */
  network: Network;
}

/**
 * The route table: all routes under /api/v1 as data. The checks of each request, the OpenAPI document, the docs page, the SDK's types
 * and tests are derived from it. A new route needs one row and one handler. The most used routes come first.
 */
export function routeTable(services: Services): Route[] {
  const { db, sessions, identity, billing, account, plans, apiKeys, audit } = services;
  const { x402Payments, telephony, webhooks, files, checks, publicUrl, network } = services;
  const { lookup, leaksearch, esim, verifications, xmpp } = services;
  const rows = [
    ...accountRoutes({ db, service: account, plans }),
    ...smsRoutes(telephony),
    ...messagingRoutes(telephony),
    ...numberRoutes(telephony),
    ...webhookRoutes(webhooks, telephony),
    ...endpointRoutes(webhooks),
    ...roomRoutes(new RoomService(services)),
    ...streamRoutes(new StreamService(services)),
    ...callRoutes(services),
    ...recordingRoutes(services),
    ...lookupRoutes(lookup),
    ...leakSearchRoutes(leaksearch),
    ...esimRoutes(esim, (accountId) => account.balanceOf(accountId)),
    ...verificationRoutes(verifications),
    ...xmppRoutes(xmpp),
    ...apiKeyRoutes(apiKeys, audit),
    ...identityRoutes(sessions),
    ...x402Routes(x402Payments),
    ...operatorRoutes(services),
    ...providerRoutes(identity),
    ...billingRoutes(billing),
    ...fileRoutes(files),
    ...privacyRoutes(services.accountData),
  ];
  const document = () => openApi(table, publicUrl);
  const table: Route[] = [...rows, ...metaRoutes({ routes: rows, checks, network, document })];
  return table;
}
