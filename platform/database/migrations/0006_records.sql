ALTER TABLE "recording_files" ADD COLUMN "is_screen" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "recording_parts" ADD COLUMN "is_screen" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "recordings" ADD COLUMN "left_out" text[] DEFAULT '{}' NOT NULL;