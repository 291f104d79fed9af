CREATE TABLE "room_chat" (
	"id" text PRIMARY KEY NOT NULL,
	"room_id" text NOT NULL,
	"wallet" text NOT NULL,
	"display_name" text,
	"content" text NOT NULL,
	"sent_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "room_members" (
	"room_id" text NOT NULL,
	"wallet" text NOT NULL,
	"standing" text NOT NULL,
	"changed_at" timestamp (3) with time zone NOT NULL,
	"is_invited" boolean DEFAULT false NOT NULL,
	"role" text DEFAULT 'participant' NOT NULL,
	"participant_id" text,
	"display_name" text,
	"joined_at" timestamp (3) with time zone,
	"socket" text,
	"node" text,
	"muted" boolean DEFAULT false NOT NULL,
	"hand_raised" boolean DEFAULT false NOT NULL,
	"sending" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"gate_checked_at" timestamp (3) with time zone,
	CONSTRAINT "room_members_room_id_wallet_pk" PRIMARY KEY("room_id","wallet")
);
--> statement-breakpoint
CREATE TABLE "rooms" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"host" text NOT NULL,
	"max_participants" integer NOT NULL,
	"video" boolean NOT NULL,
	"audio" boolean NOT NULL,
	"settings" jsonb NOT NULL,
	"status" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"started_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	"end_reason" text,
	"network" text NOT NULL,
	"gate" jsonb
);
--> statement-breakpoint
ALTER TABLE "room_chat" ADD CONSTRAINT "room_chat_room_id_rooms_id_fk" FOREIGN KEY ("room_id") REFERENCES "public"."rooms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "room_members" ADD CONSTRAINT "room_members_room_id_rooms_id_fk" FOREIGN KEY ("room_id") REFERENCES "public"."rooms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "room_chat_room_idx" ON "room_chat" USING btree ("room_id","sent_at");--> statement-breakpoint
CREATE INDEX "room_members_wallet_idx" ON "room_members" USING btree ("wallet");--> statement-breakpoint
CREATE INDEX "room_members_socket_idx" ON "room_members" USING btree ("socket");--> statement-breakpoint
CREATE INDEX "room_members_node_idx" ON "room_members" USING btree ("node");--> statement-breakpoint
CREATE INDEX "room_members_changed_idx" ON "room_members" USING btree ("changed_at");--> statement-breakpoint
CREATE INDEX "room_members_present_idx" ON "room_members" USING btree ("room_id") WHERE standing = 'present';--> statement-breakpoint
CREATE INDEX "room_members_waiting_idx" ON "room_members" USING btree ("room_id") WHERE standing = 'waiting';--> statement-breakpoint
CREATE INDEX "rooms_host_idx" ON "rooms" USING btree ("host","created_at");--> statement-breakpoint
CREATE INDEX "rooms_ended_idx" ON "rooms" USING btree ("ended_at");