CREATE TABLE "notification_preferences" (
	"wallet" text PRIMARY KEY NOT NULL,
	"calls" boolean DEFAULT true NOT NULL,
	"messages" boolean DEFAULT true NOT NULL,
	"voicemails" boolean DEFAULT true NOT NULL,
	"conference_invites" boolean DEFAULT true NOT NULL
);
--> statement-breakpoint
CREATE TABLE "push_presence" (
	"socket_id" text PRIMARY KEY NOT NULL,
	"wallet" text NOT NULL,
	"node_id" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "push_subscriptions" (
	"id" text PRIMARY KEY NOT NULL,
	"wallet" text NOT NULL,
	"session_id" text NOT NULL,
	"service" text NOT NULL,
	"address" text NOT NULL,
	"p256dh" text,
	"auth" text,
	"mode" text,
	"renewed_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "push_subscriptions_device_idx" UNIQUE("wallet","address")
);
--> statement-breakpoint
CREATE INDEX "push_presence_wallet_idx" ON "push_presence" USING btree ("wallet");--> statement-breakpoint
CREATE INDEX "push_presence_node_idx" ON "push_presence" USING btree ("node_id");--> statement-breakpoint
CREATE INDEX "push_subscriptions_address_idx" ON "push_subscriptions" USING btree ("address");