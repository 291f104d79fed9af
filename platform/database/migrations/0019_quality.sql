CREATE TABLE "quality_log" (
	"subject" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"party" text NOT NULL,
	"kind" text NOT NULL,
	"sample" jsonb
);
--> statement-breakpoint
ALTER TABLE "nodes" ADD COLUMN "cpu" real DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "nodes" ADD COLUMN "release" text;--> statement-breakpoint
CREATE INDEX "quality_log_subject_idx" ON "quality_log" USING btree ("subject","at");--> statement-breakpoint
CREATE INDEX "quality_log_at_idx" ON "quality_log" USING btree ("at");