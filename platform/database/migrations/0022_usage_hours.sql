CREATE TABLE "usage_hours" (
	"account_id" text NOT NULL,
	"hour" timestamp (3) with time zone NOT NULL,
	"service" text NOT NULL,
	"key" text NOT NULL,
	"requests" bigint NOT NULL,
	"units" bigint NOT NULL,
	"credits" bigint NOT NULL,
	CONSTRAINT "usage_hours_account_id_hour_service_key_pk" PRIMARY KEY("account_id","hour","service","key")
);
--> statement-breakpoint
CREATE TABLE "usage_progress" (
	"source" text PRIMARY KEY NOT NULL,
	"summed_until" bigint DEFAULT 0 NOT NULL,
	"noticed_until" bigint DEFAULT 0 NOT NULL,
	"noticed_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE INDEX "usage_hours_hour_idx" ON "usage_hours" USING btree ("hour");--> statement-breakpoint
CREATE INDEX "ledger_seq_idx" ON "ledger" USING btree ("seq");