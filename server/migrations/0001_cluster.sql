CREATE SEQUENCE "public"."room_epochs" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;--> statement-breakpoint
CREATE TABLE "room_owners" (
	"room_id" text PRIMARY KEY NOT NULL,
	"node_id" text NOT NULL,
	"epoch" bigint DEFAULT nextval('room_epochs') NOT NULL,
	"claimed_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "nodes" (
	"id" text PRIMARY KEY NOT NULL,
	"roles" text[] NOT NULL,
	"address" text,
	"load" real DEFAULT 0 NOT NULL,
	"draining" boolean DEFAULT false NOT NULL,
	"started_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"seen_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"died_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "calls" ADD COLUMN "caller_node" text;--> statement-breakpoint
ALTER TABLE "calls" ADD COLUMN "callee_node" text;--> statement-breakpoint
CREATE INDEX "room_owners_node_idx" ON "room_owners" USING btree ("node_id");--> statement-breakpoint
CREATE INDEX "nodes_living_idx" ON "nodes" USING btree ("id") WHERE "nodes"."died_at" IS NULL;--> statement-breakpoint
CREATE INDEX "calls_ended_idx" ON "calls" USING btree ("ended_at");--> statement-breakpoint
CREATE INDEX "calls_caller_socket_idx" ON "calls" USING btree ("caller_socket") WHERE status in ('ringing', 'active');--> statement-breakpoint
CREATE INDEX "calls_callee_socket_idx" ON "calls" USING btree ("callee_socket") WHERE status in ('ringing', 'active');