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
ALTER TABLE "messages" ADD CONSTRAINT "messages_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "messages" ADD CONSTRAINT "messages_thread_id_threads_id_fk" FOREIGN KEY ("thread_id") REFERENCES "public"."threads"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "threads" ADD CONSTRAINT "threads_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "number_orders" ADD CONSTRAINT "number_orders_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "phone_numbers" ADD CONSTRAINT "phone_numbers_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pool_assignments" ADD CONSTRAINT "pool_assignments_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "message_parts_message_idx" ON "message_parts" USING btree ("message_id");--> statement-breakpoint
CREATE INDEX "message_parts_stray_idx" ON "message_parts" USING btree ("created_at") WHERE message_id IS NULL;--> statement-breakpoint
CREATE INDEX "messages_account_idx" ON "messages" USING btree ("account_id","seq" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "messages_thread_idx" ON "messages" USING btree ("thread_id","seq" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "messages_number_idx" ON "messages" USING btree ("account_id","number","seq" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "messages_inbox_idx" ON "messages" USING btree ("account_id","seq" DESC NULLS LAST) WHERE direction = 'inbound' AND number_id IS NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "messages_inbound_idx" ON "messages" USING btree ("carrier","carrier_reference") WHERE carrier_reference IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "threads_pair_idx" ON "threads" USING btree ("account_id","counterparty","number");--> statement-breakpoint
CREATE INDEX "threads_recent_idx" ON "threads" USING btree ("account_id","last_seq" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "number_orders_reservation_idx" ON "number_orders" USING btree ("reservation_id");--> statement-breakpoint
CREATE UNIQUE INDEX "phone_numbers_owner_idx" ON "phone_numbers" USING btree ("phone_number") WHERE status <> 'released';--> statement-breakpoint
CREATE INDEX "phone_numbers_account_idx" ON "phone_numbers" USING btree ("account_id","seq" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "stock_numbers_order_idx" ON "stock_numbers" USING btree ("order_id");--> statement-breakpoint
CREATE INDEX "pool_assignments_counterparty_idx" ON "pool_assignments" USING btree ("counterparty");