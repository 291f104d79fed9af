import type { AccountService } from '../account/AccountService.ts';
import type { Plans } from '../account/Plans.ts';
import { accountRoutes } from '../account/routes.ts';
import type { ApiKeyService } from '../apiKeys/ApiKeyService.ts';
import { apiKeyRoutes } from '../apiKeys/routes.ts';
import type { AuditLog } from '../audit/AuditLog.ts';
import type { Database } from '../database.ts';
import type { Phone } from '../createPhone.ts';
import { identityRoutes } from '../identity/routes.ts';
import type { SessionService } from '../identity/SessionService.ts';
import { messagingRoutes } from '../messaging/routes.ts';
import { numberRoutes } from '../numbers/routes.ts';
import { smsRoutes } from '../sms/routes.ts';
import type { Webhooks } from '../createWebhooks.ts';
import { webhookRoutes } from '../webhooks/routes.ts';
import { openApi } from './openApi.ts';
import { phoneRoutes } from './phoneRoutes.ts';
import type { Route } from './Route.ts';
import { metaRoutes } from './metaRoutes.ts';

export interface Services {
  db: Database;
  sessions: SessionService;
  account: AccountService;
  plans: Plans;
  apiKeys: ApiKeyService;
  audit: AuditLog;
  phone: Phone;
  webhooks: Webhooks;
  /** What has to answer for the server to be whole. */
  checks: Record<string, () => Promise<void>>;
  publicUrl: string;
}

/**
 * The route table: every route under /api/v1 as data. The order of checks, the OpenAPI document, the docs page, the SDK's types and
 * the tests come from it; a new route is one row and one handler. What is asked most often stands first.
 */
export function routeTable(services: Services): Route[] {
  const { db, sessions, account, plans, apiKeys, audit, phone, webhooks, checks, publicUrl } = services;
  const rows = [
    ...accountRoutes({ db, service: account, plans }),
    ...smsRoutes(phone),
    ...messagingRoutes(phone),
    ...numberRoutes(phone),
    ...webhookRoutes(webhooks, phone),
    ...phoneRoutes,
    ...apiKeyRoutes(apiKeys, audit),
    ...identityRoutes(sessions),
  ];
  const document = () => openApi(table, publicUrl);
  const table: Route[] = [...rows, ...metaRoutes({ routes: rows, checks, document })];
  return table;
}
