CREATE TABLE "usage_days" (
	"day" timestamp (3) with time zone NOT NULL,
	"account_id" text NOT NULL,
	"service" text NOT NULL,
	"key" text NOT NULL,
	"requests" bigint NOT NULL,
	"units" bigint NOT NULL,
	"credits" bigint NOT NULL,
	CONSTRAINT "usage_days_account_id_day_service_key_pk" PRIMARY KEY("account_id","day","service","key")
);
--> statement-breakpoint
CREATE INDEX "usage_days_day_idx" ON "usage_days" USING btree ("day");--> statement-breakpoint
-- Adds each change of a sum of an hour to the sum of its day.
CREATE FUNCTION "count_usage_of_day"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "usage_days" ("account_id", "day", "service", "key", "requests", "units", "credits")
    VALUES (NEW."account_id", date_trunc('day', NEW."hour", 'UTC'), NEW."service", NEW."key", NEW."requests" - coalesce(OLD."requests", 0),
      NEW."units" - coalesce(OLD."units", 0), NEW."credits" - coalesce(OLD."credits", 0))
    ON CONFLICT ("account_id", "day", "service", "key") DO UPDATE SET "requests" = "usage_days"."requests" + excluded."requests",
      "units" = "usage_days"."units" + excluded."units", "credits" = "usage_days"."credits" + excluded."credits";
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER "usage_hours_days" AFTER INSERT OR UPDATE OF "requests", "units", "credits" ON "usage_hours"
  FOR EACH ROW EXECUTE FUNCTION "count_usage_of_day"();
--> statement-breakpoint
INSERT INTO "usage_days" ("account_id", "day", "service", "key", "requests", "units", "credits")
  SELECT "account_id", date_trunc('day', "hour", 'UTC') AS "on", "service", "key", sum("requests"), sum("units"), sum("credits") FROM "usage_hours"
  GROUP BY "account_id", "on", "service", "key";
