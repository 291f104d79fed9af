CREATE TABLE "stream_bans" (
	"stream_id" text NOT NULL,
	"wallet" text NOT NULL,
	"banned_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "stream_bans_stream_id_wallet_pk" PRIMARY KEY("stream_id","wallet")
);
--> statement-breakpoint
CREATE TABLE "stream_chat" (
	"id" text PRIMARY KEY NOT NULL,
	"stream_id" text NOT NULL,
	"wallet" text NOT NULL,
	"display_name" text,
	"content" text NOT NULL,
	"sent_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "stream_watchings" (
	"stream_id" text NOT NULL,
	"id" text NOT NULL,
	"viewer" text NOT NULL,
	"wallet" text,
	"display_name" text,
	"via" text NOT NULL,
	"joined_at" timestamp (3) with time zone NOT NULL,
	"socket" text,
	"node" text,
	"seen_at" timestamp (3) with time zone NOT NULL,
	"gate_checked_at" timestamp (3) with time zone,
	CONSTRAINT "stream_watchings_stream_id_id_pk" PRIMARY KEY("stream_id","id")
);
--> statement-breakpoint
CREATE TABLE "streams" (
	"id" text PRIMARY KEY NOT NULL,
	"title" text NOT NULL,
	"description" text NOT NULL,
	"host" text NOT NULL,
	"network" text NOT NULL,
	"is_public" boolean NOT NULL,
	"gate" jsonb,
	"record" boolean NOT NULL,
	"key_hash" text NOT NULL,
	"key_sealed" "bytea" NOT NULL,
	"status" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"started_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	"end_reason" text,
	"publisher" text,
	"published_by" text,
	"publisher_socket" text,
	"publisher_node" text,
	"is_sending" boolean DEFAULT false NOT NULL,
	"viewer_count" integer DEFAULT 0 NOT NULL,
	"counted_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "stream_bans" ADD CONSTRAINT "stream_bans_stream_id_streams_id_fk" FOREIGN KEY ("stream_id") REFERENCES "public"."streams"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "stream_chat" ADD CONSTRAINT "stream_chat_stream_id_streams_id_fk" FOREIGN KEY ("stream_id") REFERENCES "public"."streams"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "stream_watchings" ADD CONSTRAINT "stream_watchings_stream_id_streams_id_fk" FOREIGN KEY ("stream_id") REFERENCES "public"."streams"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "stream_chat_stream_idx" ON "stream_chat" USING btree ("stream_id","sent_at");--> statement-breakpoint
CREATE INDEX "stream_watchings_viewer_idx" ON "stream_watchings" USING btree ("stream_id","viewer");--> statement-breakpoint
CREATE INDEX "stream_watchings_joined_idx" ON "stream_watchings" USING btree ("stream_id","joined_at");--> statement-breakpoint
CREATE INDEX "stream_watchings_socket_idx" ON "stream_watchings" USING btree ("socket");--> statement-breakpoint
CREATE INDEX "stream_watchings_node_idx" ON "stream_watchings" USING btree ("node");--> statement-breakpoint
CREATE INDEX "stream_watchings_seen_idx" ON "stream_watchings" USING btree ("seen_at") WHERE socket IS NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "streams_key_idx" ON "streams" USING btree ("key_hash");--> statement-breakpoint
CREATE INDEX "streams_host_idx" ON "streams" USING btree ("host","created_at");--> statement-breakpoint
CREATE INDEX "streams_open_idx" ON "streams" USING btree ("created_at") WHERE status = 'live' AND is_public;--> statement-breakpoint
CREATE INDEX "streams_publisher_socket_idx" ON "streams" USING btree ("publisher_socket");--> statement-breakpoint
CREATE INDEX "streams_publisher_node_idx" ON "streams" USING btree ("publisher_node");--> statement-breakpoint
CREATE INDEX "streams_ended_idx" ON "streams" USING btree ("ended_at");