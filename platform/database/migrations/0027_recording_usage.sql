CREATE TABLE "recording_usage" (
	"host" text PRIMARY KEY NOT NULL,
	"bytes" bigint NOT NULL
);
--> statement-breakpoint
CREATE INDEX "recordings_parts_idx" ON "recordings" USING btree ("host") WHERE size_bytes IS NULL AND discarded_at IS NULL AND end_reason IS DISTINCT FROM 'no_space';--> statement-breakpoint
CREATE FUNCTION "add_recording_usage"("of_host" text, "added" bigint) RETURNS void LANGUAGE sql AS $$
  INSERT INTO "recording_usage" AS u ("host", "bytes") SELECT "of_host", "added" WHERE "added" <> 0
  ON CONFLICT ("host") DO UPDATE SET "bytes" = u."bytes" + excluded."bytes"
$$;
--> statement-breakpoint
CREATE FUNCTION "count_recording_usage"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  "before" bigint := 0;
  "after" bigint := 0;
BEGIN
  IF TG_OP <> 'INSERT' AND OLD."discarded_at" IS NULL THEN "before" := coalesce(OLD."size_bytes", 0); END IF;
  IF TG_OP <> 'DELETE' AND NEW."discarded_at" IS NULL THEN "after" := coalesce(NEW."size_bytes", 0); END IF;
  IF TG_OP = 'UPDATE' AND OLD."host" = NEW."host" THEN
    PERFORM "add_recording_usage"(NEW."host", "after" - "before");
  ELSE
    IF TG_OP <> 'INSERT' THEN PERFORM "add_recording_usage"(OLD."host", -"before"); END IF;
    IF TG_OP <> 'DELETE' THEN PERFORM "add_recording_usage"(NEW."host", "after"); END IF;
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER "recordings_usage" AFTER INSERT OR DELETE OR UPDATE OF "size_bytes", "discarded_at", "host" ON "recordings"
  FOR EACH ROW EXECUTE FUNCTION "count_recording_usage"();
--> statement-breakpoint
INSERT INTO "recording_usage" ("host", "bytes")
  SELECT "host", sum("size_bytes") FROM "recordings" WHERE "discarded_at" IS NULL AND "size_bytes" > 0 GROUP BY "host";
