ALTER TABLE "calls" ADD COLUMN "revision" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "streams" ADD COLUMN "revision" integer DEFAULT 0 NOT NULL;