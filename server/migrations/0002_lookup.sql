CREATE TABLE "esim_orders" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text,
	"charge_id" text NOT NULL,
	"provider" text NOT NULL,
	"package_id" text NOT NULL,
	"quantity" integer NOT NULL,
	"credits" integer NOT NULL,
	"status" text NOT NULL,
	"error_code" text,
	"error_message" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "esim_profiles" (
	"id" text PRIMARY KEY NOT NULL,
	"order_id" text NOT NULL,
	"position" integer NOT NULL,
	"sealed" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "leak_breaches" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "leak_breaches_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"source" text NOT NULL,
	"title" text NOT NULL,
	"domain" text,
	"breach_date" text,
	"data_classes" text[] NOT NULL,
	"verified" boolean NOT NULL,
	"records" bigint,
	CONSTRAINT "leak_breaches_source_unique" UNIQUE("source")
);
--> statement-breakpoint
CREATE TABLE "leak_entries" (
	"hash" "bytea" NOT NULL,
	"breach_id" integer NOT NULL,
	CONSTRAINT "leak_entries_hash_breach_id_pk" PRIMARY KEY("hash","breach_id")
);
--> statement-breakpoint
CREATE TABLE "leak_imports" (
	"fingerprint" text PRIMARY KEY NOT NULL,
	"file" text NOT NULL,
	"records" bigint NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "leak_passwords" (
	"sha1" "bytea" PRIMARY KEY NOT NULL,
	"count" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "leak_quotas" (
	"account_id" text NOT NULL,
	"period_start" timestamp (3) with time zone NOT NULL,
	"used" integer NOT NULL,
	CONSTRAINT "leak_quotas_account_id_period_start_pk" PRIMARY KEY("account_id","period_start")
);
--> statement-breakpoint
CREATE TABLE "verifications" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text,
	"charge_id" text,
	"to" text NOT NULL,
	"channel" text NOT NULL,
	"code_hash" "bytea" NOT NULL,
	"status" text NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "xmpp_accounts" (
	"domain" text NOT NULL,
	"username" text NOT NULL,
	"account_id" text NOT NULL,
	"charge_id" text NOT NULL,
	"number_id" text,
	"status" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "xmpp_accounts_domain_username_pk" PRIMARY KEY("domain","username")
);
--> statement-breakpoint
ALTER TABLE "esim_profiles" ADD CONSTRAINT "esim_profiles_order_id_esim_orders_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."esim_orders"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "esim_orders_charge_idx" ON "esim_orders" USING btree ("charge_id");--> statement-breakpoint
CREATE INDEX "esim_orders_account_idx" ON "esim_orders" USING btree ("account_id","created_at" DESC NULLS LAST);--> statement-breakpoint
CREATE UNIQUE INDEX "esim_profiles_order_idx" ON "esim_profiles" USING btree ("order_id","position");--> statement-breakpoint
CREATE INDEX "leak_breaches_domain_idx" ON "leak_breaches" USING btree ("domain");--> statement-breakpoint
CREATE INDEX "verifications_to_idx" ON "verifications" USING btree ("to","created_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "verifications_charge_idx" ON "verifications" USING btree ("charge_id");--> statement-breakpoint
CREATE INDEX "verifications_expiry_idx" ON "verifications" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "xmpp_accounts_charge_idx" ON "xmpp_accounts" USING btree ("charge_id");