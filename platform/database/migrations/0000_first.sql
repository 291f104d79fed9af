CREATE TABLE "accounts" (
	"id" text PRIMARY KEY NOT NULL,
	"wallet" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "accounts_wallet_unique" UNIQUE("wallet")
);
--> statement-breakpoint
CREATE TABLE "refresh_tokens" (
	"hash" text PRIMARY KEY NOT NULL,
	"session_id" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"wallet" text NOT NULL,
	"audience" text NOT NULL,
	"network" text NOT NULL,
	"chain_id" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "used_nonces" (
	"nonce" text PRIMARY KEY NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "blocks" (
	"wallet" text NOT NULL,
	"blocked" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "blocks_wallet_blocked_pk" PRIMARY KEY("wallet","blocked")
);
--> statement-breakpoint
CREATE TABLE "calls" (
	"id" text PRIMARY KEY NOT NULL,
	"caller" text NOT NULL,
	"callee" text NOT NULL,
	"type" text NOT NULL,
	"status" text NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"answered_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	"end_reason" text,
	"hidden" boolean DEFAULT false NOT NULL,
	"caller_socket" text,
	"callee_socket" text
);
--> statement-breakpoint
CREATE TABLE "due" (
	"kind" text NOT NULL,
	"subject" text NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	"payload" jsonb NOT NULL,
	"lease_until" timestamp (3) with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "due_kind_subject_pk" PRIMARY KEY("kind","subject")
);
--> statement-breakpoint
ALTER TABLE "refresh_tokens" ADD CONSTRAINT "refresh_tokens_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "refresh_tokens_session_idx" ON "refresh_tokens" USING btree ("session_id");--> statement-breakpoint
CREATE INDEX "refresh_tokens_expiry_idx" ON "refresh_tokens" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "used_nonces_expiry_idx" ON "used_nonces" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "calls_caller_idx" ON "calls" USING btree ("caller","started_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "calls_callee_idx" ON "calls" USING btree ("callee","started_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "calls_running_idx" ON "calls" USING btree ("status") WHERE status in ('ringing', 'active');--> statement-breakpoint
CREATE INDEX "due_at_idx" ON "due" USING btree ("due_at");