CREATE TABLE "files" (
	"id" text PRIMARY KEY NOT NULL,
	"wallet" text NOT NULL,
	"name" text,
	"size" integer,
	"received" integer DEFAULT 0 NOT NULL,
	"parts" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"object_key" text,
	"thumbnail_key" text,
	"kind" text,
	"mime_type" text,
	"width" integer,
	"height" integer,
	"duration" double precision,
	"finishing_until" timestamp (3) with time zone,
	"attached_at" timestamp (3) with time zone,
	"discarded_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "voicemails" (
	"id" text PRIMARY KEY NOT NULL,
	"sender" text NOT NULL,
	"recipient" text NOT NULL,
	"file_id" text NOT NULL,
	"status" text NOT NULL,
	"hidden" boolean NOT NULL,
	"max_duration" integer NOT NULL,
	"duration" double precision,
	"created_at" timestamp (3) with time zone NOT NULL,
	"read_at" timestamp (3) with time zone,
	"transcript" jsonb,
	"transcribing_until" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE INDEX "files_pending_idx" ON "files" USING btree ("wallet") WHERE attached_at is null;--> statement-breakpoint
CREATE INDEX "voicemails_recipient_idx" ON "voicemails" USING btree ("recipient","created_at" DESC NULLS LAST) WHERE status = 'ready';--> statement-breakpoint
CREATE INDEX "voicemails_file_idx" ON "voicemails" USING btree ("file_id");