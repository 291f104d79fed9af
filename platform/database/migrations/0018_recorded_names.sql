ALTER TABLE "recording_files" ADD COLUMN "display_name" text;--> statement-breakpoint
ALTER TABLE "recording_parts" ADD COLUMN "display_name" text;