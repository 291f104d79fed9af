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
CREATE INDEX "verifications_to_idx" ON "verifications" USING btree ("to","created_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "verifications_charge_idx" ON "verifications" USING btree ("charge_id");--> statement-breakpoint
CREATE INDEX "verifications_expiry_idx" ON "verifications" USING btree ("expires_at");