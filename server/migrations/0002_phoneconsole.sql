DROP INDEX "esim_orders_account_idx";--> statement-breakpoint
ALTER TABLE "esim_orders" ADD COLUMN "seq" bigint NOT NULL GENERATED ALWAYS AS IDENTITY (sequence name "esim_orders_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1);--> statement-breakpoint
CREATE INDEX "esim_orders_account_idx" ON "esim_orders" USING btree ("account_id","seq" DESC NULLS LAST);