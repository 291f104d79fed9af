CREATE INDEX "ledger_rare_idx" ON "ledger" USING btree ("account_id","type","seq") WHERE type <> 'debit';--> statement-breakpoint
CREATE INDEX "audit_log_action_idx" ON "audit_log" USING btree ("account_id","action","seq") WHERE action <> 'request';--> statement-breakpoint
CREATE INDEX "x402_payments_failed_idx" ON "x402_payments" USING btree ("seq") WHERE status = 'failed';--> statement-breakpoint
CREATE INDEX "phone_numbers_owned_idx" ON "phone_numbers" USING btree ("account_id","seq") WHERE status <> 'released';--> statement-breakpoint
CREATE INDEX "webhook_deliveries_failed_idx" ON "webhook_deliveries" USING btree ("endpoint_id","seq") WHERE status = 'failed';--> statement-breakpoint
CREATE INDEX "webhook_deliveries_number_failed_idx" ON "webhook_deliveries" USING btree ("account_id","seq") WHERE status = 'failed' AND number_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_account_number_idx" ON "webhook_deliveries" USING btree ("account_id","seq") WHERE number_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX "webhook_events_type_idx" ON "webhook_events" USING btree ("account_id","type","position","seq");--> statement-breakpoint
CREATE INDEX "calls_caller_unanswered_idx" ON "calls" USING btree ("caller","status","started_at") WHERE status in ('missed', 'declined');--> statement-breakpoint
CREATE INDEX "calls_callee_unanswered_idx" ON "calls" USING btree ("callee","status","started_at") WHERE status in ('missed', 'declined');--> statement-breakpoint
CREATE INDEX "room_members_welcome_idx" ON "room_members" USING btree ("wallet") WHERE standing = 'present' OR is_invited AND standing <> 'removed';--> statement-breakpoint
CREATE INDEX "rooms_open_idx" ON "rooms" USING btree ("host","created_at") WHERE status <> 'ended';--> statement-breakpoint
CREATE INDEX "recordings_kind_idx" ON "recordings" USING btree ("host","kind","started_at");--> statement-breakpoint
CREATE INDEX "recordings_unready_idx" ON "recordings" USING btree ("host","status","started_at") WHERE status <> 'ready';--> statement-breakpoint
CREATE INDEX "streams_unended_idx" ON "streams" USING btree ("host","created_at") WHERE status <> 'ended';--> statement-breakpoint
CREATE INDEX "voicemails_unread_idx" ON "voicemails" USING btree ("recipient","created_at") WHERE status = 'ready' AND read_at IS NULL;