CREATE TABLE "search_states" (
	"wallet" text PRIMARY KEY NOT NULL,
	"complete_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
DROP INDEX "audit_log_time_idx";--> statement-breakpoint
ALTER TABLE "conversation_members" ADD COLUMN "active_at" timestamp (3) with time zone DEFAULT date_trunc('hour', now(), 'UTC') NOT NULL;--> statement-breakpoint
ALTER TABLE "conversations" ADD COLUMN "previous_at" timestamp (3) with time zone;--> statement-breakpoint
UPDATE conversation_members m SET active_at = date_trunc('hour', greatest(c.latest_at, (
  SELECT g.changed_at FROM group_members g WHERE g.wallet = m.wallet AND g.group_id = m.conversation)), 'UTC')
FROM conversations c WHERE c.id = m.conversation;--> statement-breakpoint
CREATE INDEX "api_keys_live_idx" ON "api_keys" USING btree ("account_id") WHERE revoked_at IS NULL;--> statement-breakpoint
CREATE INDEX "threads_number_idx" ON "threads" USING btree ("account_id","number","last_seq");--> statement-breakpoint
CREATE INDEX "phone_numbers_number_idx" ON "phone_numbers" USING btree ("account_id","phone_number");--> statement-breakpoint
CREATE INDEX "conversation_members_active_idx" ON "conversation_members" USING btree (lower("wallet"),"active_at");--> statement-breakpoint
CREATE INDEX "audit_log_time_idx" ON "audit_log" USING btree ("account_id","at","seq");