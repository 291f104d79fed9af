CREATE SEQUENCE "public"."room_epochs" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;--> statement-breakpoint
CREATE TABLE "room_owners" (
	"room_id" text PRIMARY KEY NOT NULL,
	"node_id" text NOT NULL,
	"epoch" bigint DEFAULT nextval('room_epochs') NOT NULL,
	"claimed_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "payments" (
	"id" text PRIMARY KEY NOT NULL,
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "payments_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"account_id" text NOT NULL,
	"kind" text NOT NULL,
	"status" text NOT NULL,
	"amount_cents" integer NOT NULL,
	"credits" integer NOT NULL,
	"credits_reversed" integer DEFAULT 0 NOT NULL,
	"credits_taken_back" integer DEFAULT 0 NOT NULL,
	"description" text NOT NULL,
	"checkout_id" text,
	"invoice_id" text,
	"payment_intent_id" text,
	"charge_synced_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"paid_at" timestamp (3) with time zone,
	CONSTRAINT "payments_checkout_id_unique" UNIQUE("checkout_id"),
	CONSTRAINT "payments_invoice_id_unique" UNIQUE("invoice_id"),
	CONSTRAINT "payments_payment_intent_id_unique" UNIQUE("payment_intent_id")
);
--> statement-breakpoint
CREATE TABLE "stripe_customers" (
	"account_id" text PRIMARY KEY NOT NULL,
	"customer_id" text NOT NULL,
	CONSTRAINT "stripe_customers_customer_id_unique" UNIQUE("customer_id")
);
--> statement-breakpoint
CREATE TABLE "nodes" (
	"id" text PRIMARY KEY NOT NULL,
	"roles" text[] NOT NULL,
	"address" text,
	"load" real DEFAULT 0 NOT NULL,
	"draining" boolean DEFAULT false NOT NULL,
	"started_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"seen_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"died_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "esim_orders" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text,
	"charge_id" text NOT NULL,
	"provider" text NOT NULL,
	"package_id" text NOT NULL,
	"quantity" integer NOT NULL,
	"credits" integer NOT NULL,
	"status" text NOT NULL,
	"error_code" text,
	"error_message" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "esim_profiles" (
	"id" text PRIMARY KEY NOT NULL,
	"order_id" text NOT NULL,
	"position" integer NOT NULL,
	"sealed" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "identities" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text,
	"issuer" text NOT NULL,
	"subject" text NOT NULL,
	"email" text,
	"linked_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"unlinked_at" timestamp (3) with time zone,
	CONSTRAINT "identities_subject_idx" UNIQUE("issuer","subject"),
	CONSTRAINT "identities_account_idx" UNIQUE("account_id","issuer")
);
--> statement-breakpoint
CREATE TABLE "leak_breaches" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "leak_breaches_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"source" text NOT NULL,
	"title" text NOT NULL,
	"domain" text,
	"breach_date" text,
	"data_classes" text[] NOT NULL,
	"verified" boolean NOT NULL,
	"records" bigint,
	CONSTRAINT "leak_breaches_source_unique" UNIQUE("source")
);
--> statement-breakpoint
CREATE TABLE "leak_entries" (
	"hash" "bytea" NOT NULL,
	"breach_id" integer NOT NULL,
	CONSTRAINT "leak_entries_hash_breach_id_pk" PRIMARY KEY("hash","breach_id")
);
--> statement-breakpoint
CREATE TABLE "leak_imports" (
	"fingerprint" text PRIMARY KEY NOT NULL,
	"file" text NOT NULL,
	"records" bigint NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "leak_passwords" (
	"sha1" "bytea" PRIMARY KEY NOT NULL,
	"count" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "leak_quotas" (
	"account_id" text NOT NULL,
	"period_start" timestamp (3) with time zone NOT NULL,
	"used" integer NOT NULL,
	CONSTRAINT "leak_quotas_account_id_period_start_pk" PRIMARY KEY("account_id","period_start")
);
--> statement-breakpoint
CREATE TABLE "verifications" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text,
	"charge_id" text,
	"to" text NOT NULL,
	"channel" text NOT NULL,
	"code_hash" "bytea" NOT NULL,
	"status" text NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "x402_payments" (
	"id" text PRIMARY KEY NOT NULL,
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "x402_payments_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"network" text NOT NULL,
	"asset" text NOT NULL,
	"payer" text NOT NULL,
	"nonce" text NOT NULL,
	"pay_to" text NOT NULL,
	"amount" bigint NOT NULL,
	"service" text NOT NULL,
	"units" integer NOT NULL,
	"credits" integer NOT NULL,
	"method" text NOT NULL,
	"path" text NOT NULL,
	"request_hash" text NOT NULL,
	"sender" text NOT NULL,
	"status" text NOT NULL,
	"failure" text,
	"tx" text,
	"since_block" bigint NOT NULL,
	"valid_before" timestamp (3) with time zone NOT NULL,
	"lease_until" timestamp (3) with time zone NOT NULL,
	"answer_status" integer,
	"answer" "bytea",
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"settled_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "x402_settlers" (
	"chain_id" bigint NOT NULL,
	"address" text NOT NULL,
	"owner" text NOT NULL,
	"lease_until" timestamp (3) with time zone NOT NULL,
	"next_nonce" integer,
	"sent_at" timestamp (3) with time zone,
	CONSTRAINT "x402_settlers_chain_id_address_pk" PRIMARY KEY("chain_id","address")
);
--> statement-breakpoint
CREATE TABLE "xmpp_accounts" (
	"domain" text NOT NULL,
	"username" text NOT NULL,
	"account_id" text NOT NULL,
	"charge_id" text NOT NULL,
	"number_id" text,
	"status" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "xmpp_accounts_domain_username_pk" PRIMARY KEY("domain","username")
);
--> statement-breakpoint
CREATE TABLE "notification_preferences" (
	"wallet" text PRIMARY KEY NOT NULL,
	"calls" boolean DEFAULT true NOT NULL,
	"messages" boolean DEFAULT true NOT NULL,
	"voicemails" boolean DEFAULT true NOT NULL,
	"conference_invites" boolean DEFAULT true NOT NULL
);
--> statement-breakpoint
CREATE TABLE "push_presence" (
	"socket_id" text PRIMARY KEY NOT NULL,
	"wallet" text NOT NULL,
	"node_id" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "push_subscriptions" (
	"id" text PRIMARY KEY NOT NULL,
	"wallet" text NOT NULL,
	"session_id" text NOT NULL,
	"service" text NOT NULL,
	"address" text NOT NULL,
	"p256dh" text,
	"auth" text,
	"mode" text,
	"renewed_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "push_subscriptions_device_idx" UNIQUE("wallet","address")
);
--> statement-breakpoint
ALTER TABLE "accounts" ALTER COLUMN "wallet" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "audit_log" ALTER COLUMN "account_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "sessions" ALTER COLUMN "wallet" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "wallet_linked_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "email" text;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "stripe_subscription_id" text;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "synced_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "identity_id" text;--> statement-breakpoint
ALTER TABLE "calls" ADD COLUMN "caller_node" text;--> statement-breakpoint
ALTER TABLE "calls" ADD COLUMN "callee_node" text;--> statement-breakpoint
ALTER TABLE "payments" ADD CONSTRAINT "payments_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "stripe_customers" ADD CONSTRAINT "stripe_customers_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "esim_profiles" ADD CONSTRAINT "esim_profiles_order_id_esim_orders_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."esim_orders"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identities" ADD CONSTRAINT "identities_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "room_owners_node_idx" ON "room_owners" USING btree ("node_id");--> statement-breakpoint
CREATE INDEX "payments_account_idx" ON "payments" USING btree ("account_id","seq" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "nodes_living_idx" ON "nodes" USING btree ("id") WHERE "nodes"."died_at" IS NULL;--> statement-breakpoint
CREATE INDEX "esim_orders_charge_idx" ON "esim_orders" USING btree ("charge_id");--> statement-breakpoint
CREATE INDEX "esim_orders_account_idx" ON "esim_orders" USING btree ("account_id","created_at" DESC NULLS LAST);--> statement-breakpoint
CREATE UNIQUE INDEX "esim_profiles_order_idx" ON "esim_profiles" USING btree ("order_id","position");--> statement-breakpoint
CREATE INDEX "leak_breaches_domain_idx" ON "leak_breaches" USING btree ("domain");--> statement-breakpoint
CREATE INDEX "verifications_to_idx" ON "verifications" USING btree ("to","created_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "verifications_charge_idx" ON "verifications" USING btree ("charge_id");--> statement-breakpoint
CREATE INDEX "verifications_expiry_idx" ON "verifications" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "x402_payments_nonce_idx" ON "x402_payments" USING btree ("network","asset","payer","nonce");--> statement-breakpoint
CREATE INDEX "x402_payments_payer_idx" ON "x402_payments" USING btree ("payer","seq" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "x402_payments_seq_idx" ON "x402_payments" USING btree ("seq" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "x402_payments_expiry_idx" ON "x402_payments" USING btree ("expires_at") WHERE answer IS NOT NULL;--> statement-breakpoint
CREATE INDEX "xmpp_accounts_charge_idx" ON "xmpp_accounts" USING btree ("charge_id");--> statement-breakpoint
CREATE INDEX "push_presence_wallet_idx" ON "push_presence" USING btree ("wallet");--> statement-breakpoint
CREATE INDEX "push_presence_node_idx" ON "push_presence" USING btree ("node_id");--> statement-breakpoint
CREATE INDEX "push_subscriptions_address_idx" ON "push_subscriptions" USING btree ("address");--> statement-breakpoint
CREATE INDEX "sessions_account_idx" ON "sessions" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "calls_ended_idx" ON "calls" USING btree ("ended_at");--> statement-breakpoint
CREATE INDEX "calls_caller_socket_idx" ON "calls" USING btree ("caller_socket") WHERE status in ('ringing', 'active');--> statement-breakpoint
CREATE INDEX "calls_callee_socket_idx" ON "calls" USING btree ("callee_socket") WHERE status in ('ringing', 'active');--> statement-breakpoint
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_stripe_subscription_id_unique" UNIQUE("stripe_subscription_id");