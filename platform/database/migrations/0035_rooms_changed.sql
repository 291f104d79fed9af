ALTER TABLE "rooms" ADD COLUMN "changed_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "rooms_changed_idx" ON "rooms" USING btree ("changed_at");