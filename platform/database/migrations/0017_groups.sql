CREATE TABLE "group_members" (
	"wallet" text NOT NULL,
	"group_id" text NOT NULL,
	"role" text NOT NULL,
	"standing" text NOT NULL,
	"invited_by" text,
	"changed_at" timestamp (3) with time zone NOT NULL,
	"seen" "tstzmultirange" DEFAULT '{}' NOT NULL,
	CONSTRAINT "group_members_wallet_group_id_pk" PRIMARY KEY("wallet","group_id")
);
--> statement-breakpoint
CREATE TABLE "groups" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"creator" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "wallet_messages" ADD COLUMN "hidden_for" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
CREATE INDEX "group_members_group_idx" ON "group_members" USING btree ("group_id");