CREATE TABLE "recording_files" (
	"recording_id" text NOT NULL,
	"file_id" text NOT NULL,
	"wallet" text NOT NULL,
	"start_seconds" double precision NOT NULL,
	CONSTRAINT "recording_files_recording_id_file_id_pk" PRIMARY KEY("recording_id","file_id")
);
--> statement-breakpoint
CREATE TABLE "recording_parts" (
	"id" text PRIMARY KEY NOT NULL,
	"recording_id" text NOT NULL,
	"wallet" text NOT NULL,
	"node" text NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"bytes" bigint DEFAULT 0 NOT NULL,
	"chunks" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "recordings" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"room_id" text NOT NULL,
	"host" text NOT NULL,
	"title" text NOT NULL,
	"status" text NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"end_reason" text,
	"duration_seconds" double precision,
	"size_bytes" bigint,
	"held_by" text,
	"held_until" timestamp (3) with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	"discarded_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "files" ALTER COLUMN "size" SET DATA TYPE bigint;--> statement-breakpoint
ALTER TABLE "calls" ADD COLUMN "recorded_by" text;--> statement-breakpoint
ALTER TABLE "rooms" ADD COLUMN "recorded_by" text;--> statement-breakpoint
ALTER TABLE "recording_files" ADD CONSTRAINT "recording_files_recording_id_recordings_id_fk" FOREIGN KEY ("recording_id") REFERENCES "public"."recordings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recording_parts" ADD CONSTRAINT "recording_parts_recording_id_recordings_id_fk" FOREIGN KEY ("recording_id") REFERENCES "public"."recordings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "recording_files_file_idx" ON "recording_files" USING btree ("file_id");--> statement-breakpoint
CREATE INDEX "recording_parts_idx" ON "recording_parts" USING btree ("recording_id","started_at");--> statement-breakpoint
CREATE INDEX "recordings_host_idx" ON "recordings" USING btree ("host","started_at");--> statement-breakpoint
CREATE INDEX "recordings_room_idx" ON "recordings" USING btree ("room_id");--> statement-breakpoint
CREATE INDEX "recordings_held_idx" ON "recordings" USING btree ("held_by") WHERE held_by is not null;