CREATE TABLE "handed_parts" (
	"carrier" text NOT NULL,
	"submission_id" text NOT NULL,
	"part" integer NOT NULL,
	"total" integer NOT NULL,
	"recipient" text NOT NULL,
	"mark" integer NOT NULL,
	"reference" text,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "handed_parts_carrier_submission_id_part_pk" PRIMARY KEY("carrier","submission_id","part")
);
--> statement-breakpoint
CREATE TABLE "smpp_inbound_parts" (
	"sender" text NOT NULL,
	"recipient" text NOT NULL,
	"reference" integer NOT NULL,
	"total" integer NOT NULL,
	"part" integer NOT NULL,
	"text_id" uuid NOT NULL,
	"units" text NOT NULL,
	"received_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "smpp_inbound_parts_sender_recipient_reference_total_part_pk" PRIMARY KEY("sender","recipient","reference","total","part")
);
--> statement-breakpoint
CREATE TABLE "smpp_inbound_texts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"digest" text NOT NULL,
	"connection" uuid NOT NULL,
	"received_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE INDEX "handed_parts_reference_idx" ON "handed_parts" USING btree ("carrier","reference");--> statement-breakpoint
CREATE INDEX "handed_parts_at_idx" ON "handed_parts" USING btree ("at");--> statement-breakpoint
CREATE INDEX "smpp_inbound_parts_received_idx" ON "smpp_inbound_parts" USING btree ("received_at");--> statement-breakpoint
CREATE INDEX "smpp_inbound_texts_digest_idx" ON "smpp_inbound_texts" USING btree ("digest","received_at");--> statement-breakpoint
CREATE INDEX "smpp_inbound_texts_received_idx" ON "smpp_inbound_texts" USING btree ("received_at");