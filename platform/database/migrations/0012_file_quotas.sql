CREATE TABLE "file_usage" (
	"holder" text PRIMARY KEY NOT NULL,
	"bytes" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "files" ADD COLUMN "counted_bytes" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE "files" SET "counted_bytes" = coalesce("size", 26214400) WHERE NOT EXISTS (SELECT 1 FROM "recording_files" WHERE "file_id" = "files"."id");--> statement-breakpoint
INSERT INTO "file_usage" ("holder", "bytes") SELECT "wallet", sum("counted_bytes") FROM "files" WHERE "counted_bytes" > 0 GROUP BY "wallet";--> statement-breakpoint
INSERT INTO "file_usage" ("holder", "bytes") SELECT 'installation', coalesce(sum("counted_bytes"), 0) FROM "files";
