CREATE SEQUENCE "public"."room_epochs" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;--> statement-breakpoint
CREATE TABLE "room_owners" (
	"room_id" text PRIMARY KEY NOT NULL,
	"node_id" text NOT NULL,
	"epoch" bigint DEFAULT nextval('room_epochs') NOT NULL,
	"claimed_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "ledger" (
	"id" text PRIMARY KEY NOT NULL,
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "ledger_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"account_id" text NOT NULL,
	"type" text NOT NULL,
	"service" text NOT NULL,
	"amount" bigint NOT NULL,
	"balance_after" bigint NOT NULL,
	"description" text NOT NULL,
	"reference_type" text NOT NULL,
	"reference_id" text NOT NULL,
	"api_key_prefix" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "ledger_amount_check" CHECK ("ledger"."amount" > 0)
);
--> statement-breakpoint
CREATE TABLE "reservations" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"service" text NOT NULL,
	"amount" bigint NOT NULL,
	"status" text NOT NULL,
	"inquiry" jsonb NOT NULL,
	"api_key_prefix" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"settled_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "subscriptions" (
	"account_id" text PRIMARY KEY NOT NULL,
	"plan_id" text NOT NULL,
	"status" text NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"period" integer NOT NULL,
	"current_period_start" timestamp (3) with time zone NOT NULL,
	"current_period_end" timestamp (3) with time zone NOT NULL,
	"cancel_at_period_end" boolean DEFAULT false NOT NULL,
	"stripe_subscription_id" text,
	"synced_at" timestamp (3) with time zone,
	CONSTRAINT "subscriptions_stripe_subscription_id_unique" UNIQUE("stripe_subscription_id")
);
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "api_keys_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"account_id" text NOT NULL,
	"name" text NOT NULL,
	"hash" text NOT NULL,
	"prefix" text NOT NULL,
	"last4" text NOT NULL,
	"scopes" text[] NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"created_by" text NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone,
	"last_used_ip" text,
	"revoked_at" timestamp (3) with time zone,
	"revoked_by" text,
	CONSTRAINT "api_keys_hash_unique" UNIQUE("hash"),
	CONSTRAINT "api_keys_prefix_unique" UNIQUE("prefix")
);
--> statement-breakpoint
CREATE TABLE "audit_log" (
	"id" text NOT NULL,
	"seq" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "audit_log_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"account_id" text,
	"at" timestamp (3) with time zone NOT NULL,
	"actor_type" text NOT NULL,
	"actor_id" text,
	"actor_prefix" text,
	"actor_payer" text,
	"action" text NOT NULL,
	"method" text,
	"path" text,
	"status" integer,
	"request_id" text,
	"ip" text,
	"user_agent" text,
	"service" text,
	"units" integer,
	"credits" integer
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
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "esim_orders_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
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
CREATE TABLE "files" (
	"id" text PRIMARY KEY NOT NULL,
	"wallet" text NOT NULL,
	"name" text,
	"size" integer,
	"received" integer DEFAULT 0 NOT NULL,
	"parts" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"object_key" text,
	"thumbnail_key" text,
	"kind" text,
	"mime_type" text,
	"width" integer,
	"height" integer,
	"duration" double precision,
	"finishing_until" timestamp (3) with time zone,
	"attached_at" timestamp (3) with time zone,
	"discarded_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"account_id" text NOT NULL,
	"method" text NOT NULL,
	"path" text NOT NULL,
	"key" text NOT NULL,
	"body_hash" text NOT NULL,
	"reservation_id" text,
	"lease_until" timestamp (3) with time zone NOT NULL,
	"status" integer,
	"answer" "bytea",
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "idempotency_keys_account_id_method_path_key_pk" PRIMARY KEY("account_id","method","path","key")
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
CREATE TABLE "message_parts" (
	"carrier" text NOT NULL,
	"reference" text NOT NULL,
	"message_id" text,
	"state" text NOT NULL,
	"error_code" text,
	"error_message" text,
	"at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "message_parts_carrier_reference_pk" PRIMARY KEY("carrier","reference")
);
--> statement-breakpoint
CREATE TABLE "messages" (
	"id" text PRIMARY KEY NOT NULL,
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "messages_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"account_id" text,
	"payer" text,
	"payment_id" text,
	"thread_id" text,
	"direction" text NOT NULL,
	"number" text NOT NULL,
	"number_id" text,
	"counterparty" text NOT NULL,
	"text" text NOT NULL,
	"is_secret" boolean DEFAULT false NOT NULL,
	"media" jsonb NOT NULL,
	"status" text NOT NULL,
	"segments" integer NOT NULL,
	"encoding" text NOT NULL,
	"credits" integer NOT NULL,
	"reservation_id" text,
	"carrier" text NOT NULL,
	"carrier_reference" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"submitting_until" timestamp (3) with time zone,
	"error_code" text,
	"error_message" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"sent_at" timestamp (3) with time zone,
	"delivered_at" timestamp (3) with time zone,
	CONSTRAINT "messages_payment_id_unique" UNIQUE("payment_id")
);
--> statement-breakpoint
CREATE TABLE "threads" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"number" text NOT NULL,
	"counterparty" text NOT NULL,
	"last_message_id" text,
	"last_seq" bigint DEFAULT 0 NOT NULL,
	"message_count" integer NOT NULL,
	"unread_count" integer NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "number_orders" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"reservation_id" text NOT NULL,
	"status" text NOT NULL,
	"offer" jsonb NOT NULL,
	"number_id" text NOT NULL,
	"credits" integer NOT NULL,
	"attempts" integer DEFAULT 1 NOT NULL,
	"buying_until" timestamp (3) with time zone NOT NULL,
	"error_code" text,
	"error_message" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "phone_numbers" (
	"id" text PRIMARY KEY NOT NULL,
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "phone_numbers_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"account_id" text NOT NULL,
	"phone_number" text NOT NULL,
	"country" text NOT NULL,
	"region" text,
	"type" text NOT NULL,
	"capabilities" jsonb NOT NULL,
	"status" text NOT NULL,
	"monthly_credits" integer NOT NULL,
	"auto_renew" boolean NOT NULL,
	"carrier" text NOT NULL,
	"carrier_reference" text,
	"purchased_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"released_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "handed_parts" (
	"carrier" text NOT NULL,
	"submission_id" text NOT NULL,
	"part" integer NOT NULL,
	"total" integer NOT NULL,
	"recipient" text NOT NULL,
	"mark" integer NOT NULL,
	"reference" text,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "handed_parts_carrier_submission_id_part_pk" PRIMARY KEY("carrier","submission_id","part")
);
--> statement-breakpoint
CREATE TABLE "loopback_texts" (
	"id" text PRIMARY KEY NOT NULL,
	"sender" text NOT NULL,
	"recipient" text NOT NULL,
	"text" text NOT NULL,
	"media_urls" jsonb NOT NULL,
	"segments" integer NOT NULL,
	"accepted_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"delivered_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "smpp_inbound_parts" (
	"sender" text NOT NULL,
	"recipient" text NOT NULL,
	"reference" integer NOT NULL,
	"total" integer NOT NULL,
	"part" integer NOT NULL,
	"text_id" uuid NOT NULL,
	"units" text NOT NULL,
	"received_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "smpp_inbound_parts_sender_recipient_reference_total_part_pk" PRIMARY KEY("sender","recipient","reference","total","part")
);
--> statement-breakpoint
CREATE TABLE "smpp_inbound_texts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"digest" text NOT NULL,
	"connection" uuid NOT NULL,
	"received_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "stock_numbers" (
	"carrier" text NOT NULL,
	"phone_number" text NOT NULL,
	"order_id" text NOT NULL,
	"sold_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "stock_numbers_carrier_phone_number_pk" PRIMARY KEY("carrier","phone_number")
);
--> statement-breakpoint
CREATE TABLE "opt_outs" (
	"sender" text NOT NULL,
	"recipient" text NOT NULL,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "opt_outs_sender_recipient_pk" PRIMARY KEY("sender","recipient")
);
--> statement-breakpoint
CREATE TABLE "pool_assignments" (
	"number" text NOT NULL,
	"counterparty" text NOT NULL,
	"account_id" text,
	"used_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "pool_assignments_number_counterparty_pk" PRIMARY KEY("number","counterparty")
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
CREATE TABLE "webhook_deliveries" (
	"id" text PRIMARY KEY NOT NULL,
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "webhook_deliveries_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"number_id" text NOT NULL,
	"account_id" text NOT NULL,
	"type" text NOT NULL,
	"body" text NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp (3) with time zone,
	"delivering_until" timestamp (3) with time zone,
	"last_attempt_at" timestamp (3) with time zone,
	"response_status" integer,
	"response_body" text,
	"error" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"settled_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "webhooks" (
	"number_id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"url" text NOT NULL,
	"events" jsonb NOT NULL,
	"secret" "bytea" NOT NULL,
	"previous_secret" "bytea",
	"previous_secret_until" timestamp (3) with time zone,
	"disabled_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
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
CREATE TABLE "wallet_events" (
	"wallet" text NOT NULL,
	"sequence" bigint NOT NULL,
	"event" text NOT NULL,
	"payload" json NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "wallet_events_wallet_sequence_pk" PRIMARY KEY("wallet","sequence")
);
--> statement-breakpoint
CREATE TABLE "wallet_sequences" (
	"wallet" text PRIMARY KEY NOT NULL,
	"latest" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "conversation_members" (
	"wallet" text NOT NULL,
	"conversation" text NOT NULL,
	"peer" text NOT NULL,
	"delivered_until" timestamp (3) with time zone,
	"read_until" timestamp (3) with time zone,
	CONSTRAINT "conversation_members_wallet_conversation_pk" PRIMARY KEY("wallet","conversation")
);
--> statement-breakpoint
CREATE TABLE "conversations" (
	"id" text PRIMARY KEY NOT NULL,
	"messages" bigint NOT NULL,
	"latest_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "wallet_messages" (
	"id" text PRIMARY KEY NOT NULL,
	"conversation" text NOT NULL,
	"sender" text NOT NULL,
	"recipient" text NOT NULL,
	"type" text NOT NULL,
	"content" text NOT NULL,
	"media_id" text,
	"sent_at" timestamp (3) with time zone NOT NULL,
	"blocked" boolean DEFAULT false NOT NULL,
	"hidden_for_sender" boolean DEFAULT false NOT NULL,
	"hidden_for_recipient" boolean DEFAULT false NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	"reactions" jsonb DEFAULT '[]'::jsonb NOT NULL
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
CREATE TABLE "voicemails" (
	"id" text PRIMARY KEY NOT NULL,
	"sender" text NOT NULL,
	"recipient" text NOT NULL,
	"file_id" text NOT NULL,
	"status" text NOT NULL,
	"hidden" boolean NOT NULL,
	"max_duration" integer NOT NULL,
	"duration" double precision,
	"created_at" timestamp (3) with time zone NOT NULL,
	"read_at" timestamp (3) with time zone,
	"transcript" jsonb,
	"transcribing_until" timestamp (3) with time zone
);
--> statement-breakpoint
DROP INDEX "calls_caller_idx";--> statement-breakpoint
DROP INDEX "calls_callee_idx";--> statement-breakpoint
ALTER TABLE "accounts" ALTER COLUMN "wallet" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "sessions" ALTER COLUMN "wallet" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "wallet_linked_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "email" text;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "credits" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "reserved" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "credits_updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "publishable_key" text DEFAULT 'pk_live_' || replace(gen_random_uuid()::text, '-', '') NOT NULL;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "identity_id" text;--> statement-breakpoint
ALTER TABLE "calls" ADD COLUMN "caller_node" text;--> statement-breakpoint
ALTER TABLE "calls" ADD COLUMN "callee_node" text;--> statement-breakpoint
ALTER TABLE "ledger" ADD CONSTRAINT "ledger_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reservations" ADD CONSTRAINT "reservations_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payments" ADD CONSTRAINT "payments_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "stripe_customers" ADD CONSTRAINT "stripe_customers_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "esim_profiles" ADD CONSTRAINT "esim_profiles_order_id_esim_orders_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."esim_orders"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identities" ADD CONSTRAINT "identities_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "messages" ADD CONSTRAINT "messages_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "messages" ADD CONSTRAINT "messages_thread_id_threads_id_fk" FOREIGN KEY ("thread_id") REFERENCES "public"."threads"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "threads" ADD CONSTRAINT "threads_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "number_orders" ADD CONSTRAINT "number_orders_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "phone_numbers" ADD CONSTRAINT "phone_numbers_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pool_assignments" ADD CONSTRAINT "pool_assignments_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_number_id_phone_numbers_id_fk" FOREIGN KEY ("number_id") REFERENCES "public"."phone_numbers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "room_owners_node_idx" ON "room_owners" USING btree ("node_id");--> statement-breakpoint
CREATE INDEX "ledger_account_idx" ON "ledger" USING btree ("account_id","seq");--> statement-breakpoint
CREATE INDEX "ledger_time_idx" ON "ledger" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "ledger_grant_idx" ON "ledger" USING btree ("account_id","reference_type","reference_id") WHERE type = 'credit';--> statement-breakpoint
CREATE INDEX "api_keys_account_idx" ON "api_keys" USING btree ("account_id","seq");--> statement-breakpoint
CREATE INDEX "audit_log_account_idx" ON "audit_log" USING btree ("account_id","seq");--> statement-breakpoint
CREATE INDEX "audit_log_time_idx" ON "audit_log" USING btree ("account_id","at");--> statement-breakpoint
CREATE INDEX "audit_log_prefix_idx" ON "audit_log" USING btree ("account_id","actor_prefix","seq");--> statement-breakpoint
CREATE INDEX "payments_account_idx" ON "payments" USING btree ("account_id","seq");--> statement-breakpoint
CREATE INDEX "nodes_living_idx" ON "nodes" USING btree ("id") WHERE "nodes"."died_at" IS NULL;--> statement-breakpoint
CREATE INDEX "esim_orders_charge_idx" ON "esim_orders" USING btree ("charge_id");--> statement-breakpoint
CREATE INDEX "esim_orders_account_idx" ON "esim_orders" USING btree ("account_id","seq");--> statement-breakpoint
CREATE UNIQUE INDEX "esim_profiles_order_idx" ON "esim_profiles" USING btree ("order_id","position");--> statement-breakpoint
CREATE INDEX "files_pending_idx" ON "files" USING btree ("wallet") WHERE attached_at is null;--> statement-breakpoint
CREATE INDEX "idempotency_keys_expiry_idx" ON "idempotency_keys" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "leak_breaches_domain_idx" ON "leak_breaches" USING btree ("domain");--> statement-breakpoint
CREATE INDEX "message_parts_message_idx" ON "message_parts" USING btree ("message_id");--> statement-breakpoint
CREATE INDEX "message_parts_stray_idx" ON "message_parts" USING btree ("created_at") WHERE message_id IS NULL;--> statement-breakpoint
CREATE INDEX "messages_thread_idx" ON "messages" USING btree ("thread_id","seq");--> statement-breakpoint
CREATE INDEX "messages_inbox_idx" ON "messages" USING btree ("account_id","seq") WHERE direction = 'inbound';--> statement-breakpoint
CREATE INDEX "messages_own_idx" ON "messages" USING btree ("account_id","seq") WHERE number_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX "messages_number_idx" ON "messages" USING btree ("number_id","seq") WHERE number_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX "messages_counterparty_idx" ON "messages" USING btree ("account_id","counterparty","seq");--> statement-breakpoint
CREATE INDEX "messages_since_idx" ON "messages" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "messages_inbound_idx" ON "messages" USING btree ("carrier","carrier_reference") WHERE carrier_reference IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "threads_pair_idx" ON "threads" USING btree ("account_id","counterparty","number");--> statement-breakpoint
CREATE INDEX "threads_recent_idx" ON "threads" USING btree ("account_id","last_seq");--> statement-breakpoint
CREATE INDEX "number_orders_reservation_idx" ON "number_orders" USING btree ("reservation_id");--> statement-breakpoint
CREATE UNIQUE INDEX "phone_numbers_owner_idx" ON "phone_numbers" USING btree ("phone_number") WHERE status <> 'released';--> statement-breakpoint
CREATE INDEX "phone_numbers_account_idx" ON "phone_numbers" USING btree ("account_id","seq");--> statement-breakpoint
CREATE INDEX "handed_parts_reference_idx" ON "handed_parts" USING btree ("carrier","reference");--> statement-breakpoint
CREATE INDEX "handed_parts_at_idx" ON "handed_parts" USING btree ("at");--> statement-breakpoint
CREATE INDEX "loopback_texts_delivered_idx" ON "loopback_texts" USING btree ("delivered_at") WHERE delivered_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX "smpp_inbound_parts_received_idx" ON "smpp_inbound_parts" USING btree ("received_at");--> statement-breakpoint
CREATE INDEX "smpp_inbound_texts_digest_idx" ON "smpp_inbound_texts" USING btree ("digest","received_at");--> statement-breakpoint
CREATE INDEX "smpp_inbound_texts_received_idx" ON "smpp_inbound_texts" USING btree ("received_at");--> statement-breakpoint
CREATE INDEX "stock_numbers_order_idx" ON "stock_numbers" USING btree ("order_id");--> statement-breakpoint
CREATE INDEX "pool_assignments_counterparty_idx" ON "pool_assignments" USING btree ("counterparty");--> statement-breakpoint
CREATE INDEX "verifications_to_idx" ON "verifications" USING btree ("to","created_at");--> statement-breakpoint
CREATE INDEX "verifications_charge_idx" ON "verifications" USING btree ("charge_id");--> statement-breakpoint
CREATE INDEX "verifications_expiry_idx" ON "verifications" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_pending_idx" ON "webhook_deliveries" USING btree ("number_id","next_attempt_at") WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX "webhook_deliveries_number_idx" ON "webhook_deliveries" USING btree ("number_id","seq");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_account_idx" ON "webhook_deliveries" USING btree ("account_id","seq");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_settled_idx" ON "webhook_deliveries" USING btree ("settled_at") WHERE settled_at IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "x402_payments_nonce_idx" ON "x402_payments" USING btree ("network","asset","payer","nonce");--> statement-breakpoint
CREATE INDEX "x402_payments_payer_idx" ON "x402_payments" USING btree ("payer","seq");--> statement-breakpoint
CREATE INDEX "x402_payments_seq_idx" ON "x402_payments" USING btree ("seq");--> statement-breakpoint
CREATE INDEX "x402_payments_expiry_idx" ON "x402_payments" USING btree ("expires_at") WHERE answer IS NOT NULL;--> statement-breakpoint
CREATE INDEX "xmpp_accounts_charge_idx" ON "xmpp_accounts" USING btree ("charge_id");--> statement-breakpoint
CREATE INDEX "wallet_events_created_idx" ON "wallet_events" USING brin ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "wallet_messages_conversation_idx" ON "wallet_messages" USING btree ("conversation","sent_at");--> statement-breakpoint
CREATE INDEX "wallet_messages_media_idx" ON "wallet_messages" USING btree ("media_id") WHERE media_id is not null;--> statement-breakpoint
CREATE INDEX "push_presence_wallet_idx" ON "push_presence" USING btree ("wallet");--> statement-breakpoint
CREATE INDEX "push_presence_node_idx" ON "push_presence" USING btree ("node_id");--> statement-breakpoint
CREATE INDEX "push_subscriptions_address_idx" ON "push_subscriptions" USING btree ("address");--> statement-breakpoint
CREATE INDEX "voicemails_recipient_idx" ON "voicemails" USING btree ("recipient","created_at") WHERE status = 'ready';--> statement-breakpoint
CREATE INDEX "voicemails_file_idx" ON "voicemails" USING btree ("file_id");--> statement-breakpoint
CREATE INDEX "sessions_account_idx" ON "sessions" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "calls_ended_idx" ON "calls" USING btree ("ended_at");--> statement-breakpoint
CREATE INDEX "calls_caller_socket_idx" ON "calls" USING btree ("caller_socket") WHERE status in ('ringing', 'active');--> statement-breakpoint
CREATE INDEX "calls_callee_socket_idx" ON "calls" USING btree ("callee_socket") WHERE status in ('ringing', 'active');--> statement-breakpoint
CREATE INDEX "calls_caller_idx" ON "calls" USING btree ("caller","started_at");--> statement-breakpoint
CREATE INDEX "calls_callee_idx" ON "calls" USING btree ("callee","started_at");--> statement-breakpoint
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_publishable_key_unique" UNIQUE("publishable_key");--> statement-breakpoint
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_credits_check" CHECK ("accounts"."credits" >= 0);--> statement-breakpoint
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_reserved_check" CHECK ("accounts"."reserved" >= 0);