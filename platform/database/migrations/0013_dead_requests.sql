ALTER TABLE "idempotency_keys" ADD COLUMN "node_id" text;--> statement-breakpoint
ALTER TABLE "x402_payments" ADD COLUMN "node_id" text;--> statement-breakpoint
CREATE INDEX "idempotency_keys_running_idx" ON "idempotency_keys" USING btree ("node_id") WHERE status IS NULL;--> statement-breakpoint
CREATE INDEX "x402_payments_running_idx" ON "x402_payments" USING btree ("node_id") WHERE status IN ('settling', 'settled');