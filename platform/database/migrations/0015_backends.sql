CREATE TABLE "webhook_clock" (
	"id" integer PRIMARY KEY NOT NULL,
	"position_offset" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhook_endpoints" (
	"id" text PRIMARY KEY NOT NULL,
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "webhook_endpoints_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"account_id" text NOT NULL,
	"url" text NOT NULL,
	"description" text NOT NULL,
	"events" jsonb NOT NULL,
	"secret" "bytea" NOT NULL,
	"previous_secret" "bytea",
	"previous_secret_until" timestamp (3) with time zone,
	"disabled_at" timestamp (3) with time zone,
	"set_by_key" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhook_events" (
	"id" text PRIMARY KEY NOT NULL,
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "webhook_events_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"account_id" text NOT NULL,
	"type" text NOT NULL,
	"subject_id" text,
	"sequence" integer,
	"position" bigint NOT NULL,
	"body" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhook_sequences" (
	"account_id" text NOT NULL,
	"subject_id" text NOT NULL,
	"last" integer NOT NULL,
	"position" bigint NOT NULL,
	"changed_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "webhook_sequences_account_id_subject_id_pk" PRIMARY KEY("account_id","subject_id")
);
--> statement-breakpoint
CREATE TABLE "participant_tokens" (
	"id" text PRIMARY KEY NOT NULL,
	"hash" text NOT NULL,
	"subject_id" text NOT NULL,
	"identity" text NOT NULL,
	"display_name" text,
	"role" text NOT NULL,
	"grants" jsonb NOT NULL,
	"metadata" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"revoked_at" timestamp (3) with time zone,
	CONSTRAINT "participant_tokens_hash_unique" UNIQUE("hash")
);
--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ALTER COLUMN "number_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD COLUMN "endpoint_id" text;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD COLUMN "event_id" text;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD COLUMN "order_key" text;--> statement-breakpoint
ALTER TABLE "room_members" ADD COLUMN "grants" jsonb;--> statement-breakpoint
ALTER TABLE "room_members" ADD COLUMN "metadata" text;--> statement-breakpoint
ALTER TABLE "room_members" ADD COLUMN "token_id" text;--> statement-breakpoint
ALTER TABLE "room_members" ADD COLUMN "moved_to" text;--> statement-breakpoint
ALTER TABLE "rooms" ADD COLUMN "parent_id" text;--> statement-breakpoint
ALTER TABLE "rooms" ADD COLUMN "breakouts_end_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "streams" ADD COLUMN "publisher_token" text;--> statement-breakpoint
ALTER TABLE "stream_watchings" ADD COLUMN "can_chat" boolean;--> statement-breakpoint
ALTER TABLE "stream_watchings" ADD COLUMN "token_id" text;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_set_by_key_api_keys_id_fk" FOREIGN KEY ("set_by_key") REFERENCES "public"."api_keys"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_events" ADD CONSTRAINT "webhook_events_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "webhook_endpoints_account_idx" ON "webhook_endpoints" USING btree ("account_id","seq");--> statement-breakpoint
CREATE INDEX "webhook_events_account_idx" ON "webhook_events" USING btree ("account_id","position","seq");--> statement-breakpoint
CREATE INDEX "webhook_events_subject_idx" ON "webhook_events" USING btree ("subject_id","sequence");--> statement-breakpoint
CREATE INDEX "webhook_events_created_idx" ON "webhook_events" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "webhook_sequences_changed_idx" ON "webhook_sequences" USING btree ("changed_at");--> statement-breakpoint
CREATE INDEX "participant_tokens_subject_idx" ON "participant_tokens" USING btree ("subject_id","created_at");--> statement-breakpoint
CREATE INDEX "participant_tokens_expires_idx" ON "participant_tokens" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_endpoint_idx" ON "webhook_deliveries" USING btree ("endpoint_id","seq");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_endpoint_pending_idx" ON "webhook_deliveries" USING btree ("endpoint_id","next_attempt_at") WHERE status = 'pending' AND endpoint_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_order_idx" ON "webhook_deliveries" USING btree ("endpoint_id","order_key","seq") WHERE settled_at IS NULL AND order_key IS NOT NULL;--> statement-breakpoint
CREATE INDEX "room_members_token_idx" ON "room_members" USING btree ("token_id") WHERE token_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX "rooms_parent_idx" ON "rooms" USING btree ("parent_id") WHERE parent_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX "stream_watchings_token_idx" ON "stream_watchings" USING btree ("token_id") WHERE token_id IS NOT NULL;