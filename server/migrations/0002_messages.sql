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
CREATE INDEX "wallet_events_created_idx" ON "wallet_events" USING brin ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "wallet_messages_conversation_idx" ON "wallet_messages" USING btree ("conversation","sent_at");