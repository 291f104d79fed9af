CREATE TABLE "webrtc_sessions" (
	"id_hash" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"stream_id" text NOT NULL,
	"peer_id" text NOT NULL,
	"transport_id" text NOT NULL,
	"etag" text NOT NULL,
	"mids" text[] NOT NULL,
	"ice_candidates" jsonb NOT NULL,
	"seen_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE INDEX "webrtc_sessions_seen_idx" ON "webrtc_sessions" USING btree ("seen_at");