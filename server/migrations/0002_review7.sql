DROP INDEX "messages_account_idx";--> statement-breakpoint
DROP INDEX "esim_orders_account_idx";--> statement-breakpoint
DROP INDEX "messages_thread_idx";--> statement-breakpoint
DROP INDEX "messages_number_idx";--> statement-breakpoint
DROP INDEX "messages_inbox_idx";--> statement-breakpoint
DROP INDEX "threads_recent_idx";--> statement-breakpoint
DROP INDEX "phone_numbers_account_idx";--> statement-breakpoint
DROP INDEX "verifications_to_idx";--> statement-breakpoint
DROP INDEX "webhook_deliveries_number_idx";--> statement-breakpoint
DROP INDEX "webhook_deliveries_account_idx";--> statement-breakpoint
CREATE INDEX "messages_own_idx" ON "messages" USING btree ("account_id","seq") WHERE number_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX "messages_counterparty_idx" ON "messages" USING btree ("account_id","counterparty","seq");--> statement-breakpoint
CREATE INDEX "messages_since_idx" ON "messages" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "loopback_texts_delivered_idx" ON "loopback_texts" USING btree ("delivered_at") WHERE delivered_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX "esim_orders_account_idx" ON "esim_orders" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "messages_thread_idx" ON "messages" USING btree ("thread_id","seq");--> statement-breakpoint
CREATE INDEX "messages_number_idx" ON "messages" USING btree ("number_id","seq") WHERE number_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX "messages_inbox_idx" ON "messages" USING btree ("account_id","seq") WHERE direction = 'inbound';--> statement-breakpoint
CREATE INDEX "threads_recent_idx" ON "threads" USING btree ("account_id","last_seq");--> statement-breakpoint
CREATE INDEX "phone_numbers_account_idx" ON "phone_numbers" USING btree ("account_id","seq");--> statement-breakpoint
CREATE INDEX "verifications_to_idx" ON "verifications" USING btree ("to","created_at");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_number_idx" ON "webhook_deliveries" USING btree ("number_id","seq");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_account_idx" ON "webhook_deliveries" USING btree ("account_id","seq");