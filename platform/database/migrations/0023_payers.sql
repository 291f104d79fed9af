DROP INDEX "x402_payments_nonce_idx";--> statement-breakpoint
CREATE UNIQUE INDEX "x402_payments_nonce_idx" ON "x402_payments" USING btree ("payer","nonce","network","asset");