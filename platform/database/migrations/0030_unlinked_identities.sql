CREATE INDEX "identities_unlinked_idx" ON "identities" USING btree ("unlinked_at") WHERE account_id IS NULL;--> statement-breakpoint
UPDATE "identities" SET "email" = NULL WHERE "account_id" IS NULL;
