CREATE TABLE "recent_errors" (
	"seq" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "recent_errors_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp (3) with time zone NOT NULL,
	"node_id" text NOT NULL,
	"level" text NOT NULL,
	"message" text NOT NULL,
	"request_id" text,
	"error" text
);
--> statement-breakpoint
CREATE TABLE "data_exports" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"status" text NOT NULL,
	"done" integer DEFAULT 0 NOT NULL,
	"total" integer DEFAULT 0 NOT NULL,
	"file_id" text,
	"size" bigint,
	"requested_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "erasures" (
	"account_id" text PRIMARY KEY NOT NULL,
	"requested_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	"started_at" timestamp (3) with time zone,
	"pseudonym" text,
	"erased_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "quality_log" (
	"subject" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"party" text NOT NULL,
	"kind" text NOT NULL,
	"sample" jsonb
);
--> statement-breakpoint
ALTER TABLE "nodes" ADD COLUMN "cpu" real DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "nodes" ADD COLUMN "release" text;--> statement-breakpoint
ALTER TABLE "nodes" ADD COLUMN "drains" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "nodes" ADD COLUMN "keys" text[];--> statement-breakpoint
ALTER TABLE "nodes" ADD COLUMN "turn" jsonb;--> statement-breakpoint
ALTER TABLE "installation" ADD COLUMN "former_key_fingerprint" text;--> statement-breakpoint
ALTER TABLE "installation" ADD COLUMN "lasting_secret" "bytea";--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "blocked_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "blocked_for" text;--> statement-breakpoint
CREATE INDEX "recent_errors_at_idx" ON "recent_errors" USING btree ("at");--> statement-breakpoint
CREATE INDEX "recent_errors_request_idx" ON "recent_errors" USING btree ("request_id","seq");--> statement-breakpoint
CREATE INDEX "data_exports_account_idx" ON "data_exports" USING btree ("account_id","requested_at");--> statement-breakpoint
CREATE INDEX "data_exports_requested_idx" ON "data_exports" USING btree ("requested_at");--> statement-breakpoint
CREATE INDEX "data_exports_file_idx" ON "data_exports" USING btree ("file_id") WHERE file_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX "quality_log_subject_idx" ON "quality_log" USING btree ("subject","at");--> statement-breakpoint
CREATE INDEX "quality_log_at_idx" ON "quality_log" USING btree ("at");--> statement-breakpoint
CREATE INDEX "esim_orders_created_idx" ON "esim_orders" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "leak_quotas_period_idx" ON "leak_quotas" USING btree ("period_start");--> statement-breakpoint
CREATE INDEX "accounts_created_idx" ON "accounts" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "accounts_email_idx" ON "accounts" USING btree (lower("email"));--> statement-breakpoint
CREATE INDEX "accounts_blocked_idx" ON "accounts" USING btree ("created_at","id") WHERE blocked_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX "ledger_created_idx" ON "ledger" USING btree ("created_at") WHERE type <> 'credit' AND reference_type <> 'carried';--> statement-breakpoint
CREATE INDEX "reservations_settled_idx" ON "reservations" USING btree ("settled_at") WHERE settled_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX "api_keys_revoked_idx" ON "api_keys" USING btree ("revoked_at") WHERE revoked_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX "audit_log_at_idx" ON "audit_log" USING brin ("at");--> statement-breakpoint
CREATE INDEX "payments_created_idx" ON "payments" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "x402_payments_created_idx" ON "x402_payments" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "messages_created_idx" ON "messages" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "number_orders_created_idx" ON "number_orders" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "phone_numbers_released_idx" ON "phone_numbers" USING btree ("released_at") WHERE released_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX "pool_assignments_used_idx" ON "pool_assignments" USING btree ("used_at");--> statement-breakpoint
CREATE INDEX "wallet_messages_sent_idx" ON "wallet_messages" USING brin ("sent_at");--> statement-breakpoint
CREATE INDEX "profiles_avatar_idx" ON "profiles" USING btree ("avatar_file") WHERE avatar_file IS NOT NULL;--> statement-breakpoint
CREATE INDEX "recordings_ended_idx" ON "recordings" USING btree ("ended_at");--> statement-breakpoint
CREATE INDEX "voicemails_created_idx" ON "voicemails" USING btree ("created_at");