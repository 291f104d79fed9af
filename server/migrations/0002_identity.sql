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
ALTER TABLE "accounts" ALTER COLUMN "wallet" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "sessions" ALTER COLUMN "wallet" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "wallet_linked_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "email" text;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "identity_id" text;--> statement-breakpoint
ALTER TABLE "identities" ADD CONSTRAINT "identities_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "sessions_account_idx" ON "sessions" USING btree ("account_id");