ALTER TABLE "x402_payments" ADD COLUMN "key_hash" text;--> statement-breakpoint
ALTER TABLE "x402_payments" ADD COLUMN "body_hash" text;--> statement-breakpoint
CREATE UNIQUE INDEX "x402_payments_key_idx" ON "x402_payments" USING btree ("payer","key_hash") WHERE key_hash IS NOT NULL;