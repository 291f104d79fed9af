CREATE TABLE "loopback_texts" (
	"id" text PRIMARY KEY NOT NULL,
	"sender" text NOT NULL,
	"recipient" text NOT NULL,
	"text" text NOT NULL,
	"media_urls" jsonb NOT NULL,
	"segments" integer NOT NULL,
	"accepted_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"delivered_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "stock_numbers" (
	"carrier" text NOT NULL,
	"phone_number" text NOT NULL,
	"order_id" text NOT NULL,
	"sold_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "stock_numbers_carrier_phone_number_pk" PRIMARY KEY("carrier","phone_number")
);
--> statement-breakpoint
CREATE INDEX "stock_numbers_order_idx" ON "stock_numbers" USING btree ("order_id");