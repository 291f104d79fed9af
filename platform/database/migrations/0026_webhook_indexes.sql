DROP INDEX "webhook_deliveries_pending_idx";--> statement-breakpoint
DROP INDEX "webhook_deliveries_number_idx";--> statement-breakpoint
DROP INDEX "webhook_deliveries_endpoint_idx";--> statement-breakpoint
CREATE INDEX "webhook_deliveries_pending_idx" ON "webhook_deliveries" USING btree ("number_id","next_attempt_at") WHERE status = 'pending' AND number_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_number_idx" ON "webhook_deliveries" USING btree ("number_id","seq") WHERE number_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_endpoint_idx" ON "webhook_deliveries" USING btree ("endpoint_id","seq") WHERE endpoint_id IS NOT NULL;