CREATE TABLE "x402_payments" (
	"id" text PRIMARY KEY NOT NULL,
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "x402_payments_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"network" text NOT NULL,
	"asset" text NOT NULL,
	"payer" text NOT NULL,
	"nonce" text NOT NULL,
	"pay_to" text NOT NULL,
	"amount" bigint NOT NULL,
	"service" text NOT NULL,
	"units" integer NOT NULL,
	"credits" integer NOT NULL,
	"method" text NOT NULL,
	"path" text NOT NULL,
	"request_hash" text NOT NULL,
	"sender" text NOT NULL,
	"status" text NOT NULL,
	"failure" text,
	"tx" text,
	"since_block" bigint NOT NULL,
	"valid_before" timestamp (3) with time zone NOT NULL,
	"lease_until" timestamp (3) with time zone NOT NULL,
	"answer_status" integer,
	"answer" "bytea",
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"settled_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "x402_settlers" (
	"chain_id" bigint NOT NULL,
	"address" text NOT NULL,
	"owner" text NOT NULL,
	"lease_until" timestamp (3) with time zone NOT NULL,
	"next_nonce" integer,
	"sent_at" timestamp (3) with time zone,
	CONSTRAINT "x402_settlers_chain_id_address_pk" PRIMARY KEY("chain_id","address")
);
--> statement-breakpoint
ALTER TABLE "audit_log" ALTER COLUMN "account_id" DROP NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "x402_payments_nonce_idx" ON "x402_payments" USING btree ("network","asset","payer","nonce");--> statement-breakpoint
CREATE INDEX "x402_payments_payer_idx" ON "x402_payments" USING btree ("payer","seq" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "x402_payments_seq_idx" ON "x402_payments" USING btree ("seq" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "x402_payments_expiry_idx" ON "x402_payments" USING btree ("expires_at") WHERE answer IS NOT NULL;