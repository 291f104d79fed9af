CREATE TABLE "message_words" (
	"wallet" text NOT NULL,
	"sent_at" timestamp (3) with time zone NOT NULL,
	"message" text NOT NULL,
	"words" "tsvector" NOT NULL,
	CONSTRAINT "message_words_wallet_sent_at_message_pk" PRIMARY KEY("wallet","sent_at","message")
);
--> statement-breakpoint
CREATE TABLE "profiles" (
	"wallet" text PRIMARY KEY NOT NULL,
	"name" text,
	"avatar_file" text
);
--> statement-breakpoint
CREATE TABLE "saved_contacts" (
	"wallet" text NOT NULL,
	"contact" text NOT NULL,
	"name" text NOT NULL,
	CONSTRAINT "saved_contacts_wallet_contact_pk" PRIMARY KEY("wallet","contact")
);
--> statement-breakpoint
ALTER TABLE "calls" ADD COLUMN "moved_to" text;--> statement-breakpoint
ALTER TABLE "room_members" ADD COLUMN "first_joined_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "room_members" ADD COLUMN "left_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "room_members" ADD COLUMN "past_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "rooms" ADD COLUMN "starts_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "conversation_members" ADD COLUMN "indexed_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "wallet_messages" ADD COLUMN "reply_to" text;--> statement-breakpoint
ALTER TABLE "wallet_messages" ADD COLUMN "edited_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "wallet_messages" ADD COLUMN "unseen_edit" jsonb;--> statement-breakpoint
CREATE INDEX "message_words_idx" ON "message_words" USING gin ("words") WITH (fastupdate=false);--> statement-breakpoint
CREATE INDEX "saved_contacts_name_idx" ON "saved_contacts" USING btree ("wallet",lower("name"),"contact");--> statement-breakpoint
CREATE INDEX "audit_log_changes_idx" ON "audit_log" USING btree ("account_id","seq") WHERE (actor_type <> 'session' OR method IS DISTINCT FROM 'GET');--> statement-breakpoint
CREATE INDEX "room_members_past_idx" ON "room_members" USING btree ("wallet","past_at","room_id") WHERE past_at IS NOT NULL;