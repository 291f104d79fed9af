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
CREATE INDEX "files_pending_idx" ON "files" USING btree ("wallet") WHERE attached_at is null;