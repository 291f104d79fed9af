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
ALTER TABLE "nodes" ADD COLUMN "drains" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "blocked_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "blocked_for" text;--> statement-breakpoint
CREATE INDEX "recent_errors_at_idx" ON "recent_errors" USING btree ("at");--> statement-breakpoint
CREATE INDEX "recent_errors_request_idx" ON "recent_errors" USING btree ("request_id","seq");--> statement-breakpoint
CREATE INDEX "accounts_created_idx" ON "accounts" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "accounts_email_idx" ON "accounts" USING btree (lower("email"));--> statement-breakpoint
CREATE INDEX "accounts_blocked_idx" ON "accounts" USING btree ("created_at","id") WHERE blocked_at IS NOT NULL;